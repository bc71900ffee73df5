"""Building: the application's icons as files, for desktops, installers and bundles.

`python -m holdgate.icons.build` writes them anew; they are committed beside this module.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from holdgate.icons.drawing import picture
from holdgate.icons.look import Look, State

FILES = Path(__file__).with_name("files")
NAME = "holdgate"
APPLICATION = Look(State.IDLE)
HICOLOR_SIZES = (16, 22, 24, 32, 48, 64, 128, 256)
ICO_SIZES = (16, 20, 24, 32, 40, 48, 64, 128, 256)
ICNS_SIZES = (32, 64, 128, 256, 512, 1024)


def build(folder: Path) -> list[Path]:
    """Write all files below `folder`; give their paths."""
    written = [_png(folder, size) for size in HICOLOR_SIZES]
    written.append(_many(folder / f"{NAME}.ico", ICO_SIZES, sizes=[(s, s) for s in ICO_SIZES]))
    written.append(_many(folder / f"{NAME}.icns", ICNS_SIZES))
    return written


def _png(folder: Path, size: int) -> Path:
    file = folder / "hicolor" / f"{size}x{size}" / "apps" / f"{NAME}.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    picture(APPLICATION, size).save(file, optimize=True)
    return file


def _many(file: Path, drawn_in: Sequence[int], **options: object) -> Path:
    """Write several sizes into one file, each drawn for itself."""
    file.parent.mkdir(parents=True, exist_ok=True)
    drawn: list[Image.Image] = [picture(APPLICATION, size) for size in drawn_in]
    drawn[-1].save(file, append_images=drawn[:-1], **options)  # type: ignore[arg-type]
    return file


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else FILES)
