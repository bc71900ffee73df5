"""The pictures: told apart by shape alone, crisp where they are small, and committed as drawn."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

from holdgate.icons.build import FILES, HICOLOR_SIZES, ICNS_SIZES, ICO_SIZES, build
from holdgate.icons.drawing import Style, picture
from holdgate.icons.look import Look, State

LOOKS = [*(Look(state) for state in State), *(Look(State.WAITING, n) for n in (2, 7, 10, 42))]
# Mean difference of a channel, of 255. Another version of Pillow rounds otherwise.
ALIKE = 3.0


def difference(one: Image.Image, other: Image.Image) -> float:
    """Tell how much two pictures differ, on a light and on a dark ground."""
    assert one.size == other.size
    found = []
    for ground in ((255, 255, 255), (0, 0, 0)):
        pair = []
        for image in (one, other):
            flat = Image.new("RGB", image.size, ground)
            flat.paste(image, (0, 0), image.convert("RGBA"))
            pair.append(flat)
        found.append(max(ImageStat.Stat(ImageChops.difference(*pair)).mean))
    return max(found)


@pytest.mark.parametrize("size", [16, 22, 64])
def test_shapes_differ_without_colour_in_the_smallest_size(size: int) -> None:
    for one, other in itertools.combinations(LOOKS, 2):
        apart = difference(picture(one, size, "template"), picture(other, size, "template"))
        assert apart > 12, (one, other)


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_they_read_on_light_and_dark(look: Look) -> None:
    drawn = picture(look, 22)
    for ground in ((245, 245, 245), (30, 30, 30)):
        flat = Image.new("RGB", drawn.size, ground)
        flat.paste(drawn, (0, 0), drawn)
        darkest, lightest = flat.convert("L").getextrema()
        assert lightest - darkest > 90  # type: ignore[operator]


def test_a_template_is_black_with_holes() -> None:
    drawn = picture(Look(State.PAUSED), 44, "template")
    assert drawn.getpixel((22, 3)) == (0, 0, 0, 255)
    assert drawn.getpixel((15, 22))[3] == 0  # type: ignore[index]


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_a_square_has_no_transparent_corner(look: Look) -> None:
    drawn = picture(look, 32, "square")
    assert drawn.getchannel("A").getextrema() == (255, 255)


@pytest.mark.parametrize("style", ["colour", "square", "template"])
def test_they_are_kept(style: Style) -> None:
    assert picture(Look(State.WAITING, 3), 22, style) is picture(Look(State.WAITING, 3), 22, style)


def test_looks_that_are_drawn_alike_are_equal() -> None:
    assert Look(State.IDLE, 5) == Look(State.IDLE)
    assert Look(State.WAITING, 100) == Look(State.WAITING, 12345)


# The committed files.


def test_what_is_committed_is_what_is_drawn(tmp_path: Path) -> None:
    drawn = {file.relative_to(tmp_path): file for file in build(tmp_path)}
    assert set(drawn) == {file.relative_to(FILES) for file in FILES.rglob("*") if file.is_file()}
    for name, file in drawn.items():
        if name.suffix == ".png":
            assert alike(Image.open(FILES / name), Image.open(file)), name


@pytest.mark.parametrize("size", ICO_SIZES)
def test_the_ico_has_every_size_drawn_for_itself(size: int) -> None:
    with Image.open(FILES / "holdgate.ico") as file:
        assert {(s, s) for s in ICO_SIZES} == file.info["sizes"]
        frame = file.ico.getimage((size, size))  # type: ignore[attr-defined]
        assert alike(frame, picture(Look(State.IDLE), size))


@pytest.mark.parametrize("size", ICNS_SIZES)
def test_the_icns_has_every_size(size: int) -> None:
    with Image.open(FILES / "holdgate.icns") as file:
        wanted = [(w, h, scale) for w, h, scale in file.info["sizes"] if w * scale == size]
        assert wanted
        frame = file.icns.getimage(wanted[0])  # type: ignore[attr-defined]
        assert alike(frame, picture(Look(State.IDLE), size))


@pytest.mark.parametrize("size", HICOLOR_SIZES)
def test_a_desktop_finds_every_size(size: int) -> None:
    with Image.open(FILES / f"hicolor/{size}x{size}/apps/holdgate.png") as file:
        assert file.size == (size, size)


def test_another_picture_is_noticed() -> None:
    assert not alike(picture(Look(State.IDLE), 32), picture(Look(State.HELD), 32))


def alike(one: Image.Image, other: Image.Image) -> bool:
    return difference(one.convert("RGBA"), other.convert("RGBA")) < ALIKE
