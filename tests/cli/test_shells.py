"""Lines for shells: real shells read back just what was meant."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.cli.shells import SHELLS, CannotSay, guessed, lines

VALUES = st.dictionaries(
    st.sampled_from([f"HG_{number}" for number in range(40)]),
    st.one_of(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12),
        st.text("'\"\\$`!#;&|<>(){}*?~ \n\t%^abc-\u2019", max_size=12),
    ),
    min_size=30,
)
_SHOW = (
    "import json, os, sys; "
    "json.dump({n: t for n, t in os.environ.items() if n[:3] == 'HG_'}, sys.stdout)"
)
REMARKS = ('for it; use: eval "$(gateway env x)" it\'s `so`\nand more',)


@pytest.mark.parametrize(
    ("shell", "options"),
    [
        pytest.param("bash", (), marks=pytest.mark.system("bash")),
        pytest.param("zsh", ("-f",), marks=pytest.mark.system("zsh")),
        pytest.param("fish", ("--no-config",), marks=pytest.mark.system("fish")),
        ("sh", ()),
    ],
)
@given(variables=VALUES)
@settings(max_examples=4, deadline=None)
def test_a_real_shell_reads_what_was_meant(
    shell: str, options: tuple[str, ...], variables: dict[str, str]
) -> None:
    told = {**variables, "HG_OLD": "", "HG_NEVER": ""}
    script = "\n".join(lines(shell, told, REMARKS)) + '\n"$HG_PYTHON" -c "$HG_SHOW"\n'
    given_before = {"HG_OLD": "old", "HG_PYTHON": sys.executable, "HG_SHOW": _SHOW}
    done = subprocess.run(
        [shell, *options],
        input=script.encode(),
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
        | given_before,
        capture_output=True,
        check=True,
    )
    del given_before["HG_OLD"]
    wanted = {name: text for name, text in variables.items() if text}
    assert json.loads(done.stdout) == wanted | given_before


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("plain", "$env:X = 'plain'"),
        ("it's", "$env:X = 'it''s'"),
        ('{"a": "$b`c"}', '$env:X = \'{"a": "$b`c"}\''),
        ("\u2018a\u2019", "$env:X = '\u2018\u2018a\u2019\u2019'"),
        ("", "Remove-Item Env:X -ErrorAction SilentlyContinue"),
    ],
)
def test_powershell(value: str, line: str) -> None:
    assert lines("powershell", {"X": value}, ("why",)) == ["# why", line]


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("a&b|c", '@set "X=a&b|c"'),
        ("100%", '@set "X=100%%"'),
        ('{"a": "b&c"}', '@set "X={"a": "b^&c"}"'),
        ('a"&"b&c', '@set "X=a"^&"b&c"'),
        ("", '@set "X="'),
    ],
)
def test_cmd(value: str, line: str) -> None:
    assert lines("cmd", {"X": value}, ("why",)) == ["@rem why", line]


def test_what_cmd_has_no_words_for() -> None:
    with pytest.raises(CannotSay, match="X; take --shell powershell"):
        lines("cmd", {"X": "a\nb"}, ())


@pytest.mark.parametrize(
    ("environ", "system", "shell"),
    [
        ({"SHELL": "/usr/bin/fish"}, "linux", "fish"),
        ({"SHELL": "/bin/zsh"}, "darwin", "zsh"),
        ({"SHELL": "/bin/dash"}, "linux", "sh"),
        ({}, "linux", "sh"),
        ({"SHELL": "C:\\Program Files\\Git\\usr\\bin\\bash.exe"}, "win32", "bash"),
        ({"PROMPT": "$P$G"}, "win32", "cmd"),
        ({}, "win32", "powershell"),
    ],
)
def test_which_shell_it_seems(environ: dict[str, str], system: str, shell: str) -> None:
    assert guessed(environ, system) == shell
    assert shell in SHELLS
