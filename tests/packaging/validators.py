"""Validators of other projects: each gives what it found wrong, nothing for a good file."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

PATIENCE = 60.0


def desktop_problems(text: str, folder: Path) -> str:
    """Ask freedesktop.org's desktop-file-validate."""
    file = folder / "checked.desktop"
    file.write_text(text, encoding="utf-8")
    return _said("desktop-file-validate", "--warn-kde", str(file))


def unit_problems(text: str, folder: Path, *, user: bool) -> str:
    """Ask systemd-analyze. It says what is wrong, also where its exit code is 0."""
    file = folder / "checked.service"
    file.write_text(text, encoding="utf-8")
    runtime = folder / "runtime"
    runtime.mkdir(exist_ok=True, mode=0o700)
    manager = ("--user",) if user else ("--system",)
    environ = {"XDG_RUNTIME_DIR": str(runtime), "HOME": str(folder), "PATH": "/usr/bin:/bin"}
    return _said("systemd-analyze", *manager, "--man=no", "verify", str(file), environ=environ)


def dockerfile_problems(text: str, folder: Path) -> str:
    """Ask hadolint, about style too."""
    file = folder / "Dockerfile"
    file.write_text(text, encoding="utf-8")
    hadolint = Path(sys.executable).with_name("hadolint")
    return _said(str(hadolint), "--no-color", str(file))


def _said(*command: str, environ: dict[str, str] | None = None) -> str:
    assert shutil.which(command[0]), command[0]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=environ
    )
    said = (done.stdout + done.stderr).strip()
    return said or (f"exit code {done.returncode}" if done.returncode else "")
