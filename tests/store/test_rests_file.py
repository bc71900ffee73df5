"""The rests file: what it brings over a restart, and that nothing breaks it or shows a secret."""

from __future__ import annotations

import json
import logging
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdgate.core.store.rests_file import FILE_NAME, RestsFile
from holdgate.core.values.errors import FaultKind
from holdgate.core.values.rests import Rest
from holdgate.core.values.secret import Secret

SECRET = Secret("sk-live-0123456789abcdef")
LIMITED = Rest("one", "home", FaultKind.RATE, "rate limited, “wait”\n", 1_790_000_060.125, 3, "m")
REFUSED = Rest("two", "default", FaultKind.AUTH, "key refused", 2.0, refused=True, seal="00ff")


def chance(byte: int) -> Callable[[int], bytes]:
    return lambda size: bytes([byte]) * size


def saved(path: Path, *rests: Rest) -> dict[str, Any]:
    """Give what the file holds after these were saved."""
    RestsFile(path, chance(7)).save(rests)
    shape: dict[str, Any] = json.loads(path.read_bytes())
    return shape


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    shape = saved(path, LIMITED, REFUSED)
    assert (shape["version"], shape["salt"], len(shape["rests"])) == (1, "07" * 16, 2)
    assert RestsFile(path).load() == [LIMITED, REFUSED]
    saved(path, REFUSED)
    assert RestsFile(path).load() == [REFUSED]
    saved(path)
    assert RestsFile(path).load() == []


def test_a_missing_file_is_empty_and_no_news(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert RestsFile(tmp_path / FILE_NAME).load() == []
    assert RestsFile(tmp_path / "none" / FILE_NAME).load() == []
    assert caplog.records == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "truncated"),
        (b"\x00\xff", "malformed"),
        (b"null", "object"),
        (b"[" * 1_000_000, "array"),
        (b'{"version": 1}', "salt"),
        (b'{"version": 2, "salt": "%s", "rests": []}' % (b"00" * 16), "its version is 2"),
        (b'{"version": 1, "salt": "%s", "rests": []}' % (b"00" * 15), "its salt is none"),
        (b'{"version": 1, "salt": "%s", "rests": []}' % (b"zz" * 16), "its salt is none"),
        (b'{"version": 1, "salt": "%s", "rests": {}}' % (b"00" * 16), "array"),
        (b'{"version": 1, "salt": "%s", "rests": %s' % (b"00" * 16, b"[" * 1_000_000), "recursion"),
    ],
)
def test_a_broken_file_is_empty_and_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: bytes, why: str
) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(text)
    file = RestsFile(path)
    with caplog.at_level(logging.DEBUG):
        assert file.load() == file.load() == []
    (told,) = caplog.messages
    assert str(path) in told and why in told
    file.save([LIMITED])
    assert RestsFile(path).load() == [LIMITED]


def test_a_file_that_cannot_be_read_is_empty_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / FILE_NAME
    path.mkdir()
    assert RestsFile(path).load() == []
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "bored"},
        {"until": None},
        {"until": True},
        {"until": "soon"},
        {"strikes": 0},
        {"strikes": 1.5},
        {"provider": ""},
        {"key": ""},
        {"refused": "no"},
        {"why": None},
    ],
)
def test_an_entry_that_does_not_fit_is_dropped(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / FILE_NAME
    shape = saved(path, LIMITED, REFUSED)
    shape["rests"] = [shape["rests"][0] | change, 7, None, [], {}, shape["rests"][1]]
    path.write_text(json.dumps(shape))
    assert RestsFile(path).load() == [REFUSED]


def test_what_a_later_version_adds_is_no_harm(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    shape = saved(path, LIMITED)
    shape["rests"][0]["colour"] = shape["more"] = {"a": [1]}
    path.write_text(json.dumps(shape))
    assert RestsFile(path).load() == [LIMITED]


def test_what_json_cannot_say_is_dropped(tmp_path: Path) -> None:
    never = msgspec.structs.replace(LIMITED, until=float("inf"))
    saved(tmp_path / FILE_NAME, never, REFUSED)
    assert RestsFile(tmp_path / FILE_NAME).load() == [REFUSED]


# Saving.


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.touch(0o644)
    for _ in range(2):
        saved(path, LIMITED)
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o666 if sys.platform == "win32" else 0o600)  # Windows has no such modes
    assert [each.name for each in tmp_path.iterdir()] == [FILE_NAME]


def test_a_save_that_fails_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        saved(tmp_path / "none" / FILE_NAME, LIMITED)
    (tmp_path / FILE_NAME / "in the way").mkdir(parents=True)
    with pytest.raises(OSError):
        saved(tmp_path / FILE_NAME, LIMITED)
    assert [each.name for each in tmp_path.iterdir()] == [FILE_NAME]


def test_what_a_killed_save_left_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    saved(path, LIMITED)
    (tmp_path / f".{FILE_NAME}.new").write_bytes(b'{"version": 1, "sa')
    assert RestsFile(path).load() == [LIMITED]
    saved(path, REFUSED)
    assert RestsFile(path).load() == [REFUSED]
    assert [each.name for each in tmp_path.iterdir()] == [FILE_NAME]


SAVES_FOR_EVER = """
import itertools, pathlib, sys
from holdgate.core.store.rests_file import RestsFile
from holdgate.core.values.errors import FaultKind
from holdgate.core.values.rests import Rest

file = RestsFile(pathlib.Path(sys.argv[1]))
for turn in itertools.count(1):
    file.save([Rest("one", f"{n}", FaultKind.RATE, "x" * 1000, turn) for n in range(200)])
    if turn == 3:
        print("saving", flush=True)
"""


def test_a_kill_leaves_a_whole_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / FILE_NAME
    for _ in range(3):
        command = [sys.executable, "-c", SAVES_FOR_EVER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == b"saving"
            process.kill()
        rests = RestsFile(path).load()
        assert [rest.key for rest in rests] == [str(number) for number in range(200)]
        assert len({rest.until for rest in rests}) == 1
    assert caplog.records == []


# Fingerprints.


def test_a_fingershownstays_the_same_over_restarts(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    first = RestsFile(path)
    assert first.load() == []
    shown = first.fingerprint(SECRET)
    assert re.fullmatch(r"[0-9a-f]{16}", shown)
    first.save([REFUSED])
    for _ in range(2):
        again = RestsFile(path)
        again.load()
        assert again.fingerprint(SECRET) == again.fingerprint(Secret(SECRET.reveal())) == shown
        again.save([])


def test_it_differs_with_the_secret_and_with_the_salt(tmp_path: Path) -> None:
    one, other = RestsFile(tmp_path / "a"), RestsFile(tmp_path / "b")
    secrets = [SECRET, Secret(SECRET.reveal() + "0"), Secret("é"), Secret("")]
    prints = {file.fingerprint(secret) for file in (one, other) for secret in secrets}
    assert len(prints) == 8


def test_the_salt_comes_from_the_source_handed_in(tmp_path: Path) -> None:
    files = [RestsFile(tmp_path / FILE_NAME, chance(byte)) for byte in (1, 1, 2)]
    one, same, other = (file.fingerprint(SECRET) for file in files)
    assert one == same != other


def test_a_broken_file_costs_the_salt(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    before = RestsFile(path)
    before.save([])
    path.write_bytes(b"{")
    after = RestsFile(path)
    after.load()
    assert after.fingerprint(SECRET) != before.fingerprint(SECRET)


def test_the_secret_is_never_in_the_file(tmp_path: Path) -> None:
    file = RestsFile(tmp_path / FILE_NAME)
    seal = file.fingerprint(SECRET)
    file.save([msgspec.structs.replace(REFUSED, seal=seal)])
    text = (tmp_path / FILE_NAME).read_bytes()
    assert seal.encode() in text
    assert SECRET.reveal().encode() not in text
    assert SECRET.reveal().encode().hex().encode() not in text
