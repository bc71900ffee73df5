"""Which program is started at login: our own by its path, and none that will be gone by then."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest

from holdgate.core.autostart import Refused
from holdgate.core.autostart.program import Program, program_here, refusal, temporary_folders

TEMPORARY = (PurePosixPath("/tmp"), PureWindowsPath(r"C:\Users\me\AppData\Local\Temp"))


@pytest.mark.parametrize(
    ("folder", "why"),
    [
        ("/home/me/.local/share/pipx/venvs/holdgate/bin", ""),
        ("/home/me/.local/share/uv/tools/holdgate/bin", ""),
        ("/home/me/project/.venv/bin", ""),
        ("/usr/bin", ""),
        ("/opt/template/bin", ""),
        ("/home/me/archive/bin", ""),
        ("/tmp/x/.venv/bin", "temporary folder"),
        ("/tmp", "temporary folder"),
        ("/home/me/.cache/uv/archive-v0/ab12/bin", "cache"),
        ("/srv/uv-cache/archive-v0/ab12/bin", "cache"),
        ("/srv/uv-cache/environments-v2/ab12/bin", "cache"),
        ("/srv/uv-cache/builds-v0/.tmpx/bin", "cache"),
        ("/home/me/.cache/pipx/ab12/bin", "cache"),
        ("/home/me/.local/share/pipx/.cache/ab12/bin", "cache"),
        ("/Users/me/Library/Caches/pipx/ab12/bin", "cache"),
    ],
)
def test_what_will_be_gone_is_refused(folder: str, why: str) -> None:
    check(PurePosixPath(folder), why)


@pytest.mark.parametrize(
    ("folder", "why"),
    [
        (r"C:\Users\me\pipx\venvs\holdgate\Scripts", ""),
        (r"C:\Users\me\AppData\Local\Temp\x\Scripts", "temporary folder"),
        (r"c:\users\me\appdata\local\temp\x\Scripts", "temporary folder"),
        (r"C:\Users\me\AppData\Local\uv\cache\archive-v0\x\Scripts", "cache"),
        (r"C:\Users\me\AppData\Local\pipx\pipx\Cache\x\Scripts", "cache"),
    ],
)
def test_what_will_be_gone_is_refused_on_windows(folder: str, why: str) -> None:
    check(PureWindowsPath(folder), why)


def check(folder: PurePath, why: str) -> None:
    lasting = type(folder)(folder.anchor, "lasting")
    for folders in ((folder,), (lasting, folder), (folder, lasting)):
        said = refusal(Program((), (), folders), TEMPORARY)
        assert bool(said) == bool(why)
        assert why in said
        assert str(folder) in said or not why


def test_temporary_folders_are_those_of_this_machine() -> None:
    assert Path(tempfile.gettempdir()) in temporary_folders()
    assert Path(tempfile.gettempdir()).resolve() in temporary_folders()
    assert Path("/tmp") in temporary_folders()


def test_our_own_programs_are_found_by_their_path() -> None:
    program = program_here()
    for words, name in ((program.tray, "gateway"), (program.plain, "gateway-nogui")):
        (path,) = words
        assert Path(path) == Path(sys.prefix, "bin", name)
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
        assert said.stdout.startswith("holdgate ")
    assert Path(sys.prefix) in program.folders


def test_without_programs_it_is_refused() -> None:
    # On this machine there is no gateway.exe.
    with pytest.raises(Refused, match=r"no program gateway in .*pipx install"):
        program_here("win32")
