"""Shells: lines that set variables, in each shell's own words and with its own quoting."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

_CMD_ACTS = frozenset("&|<>^()")
# PowerShell takes all of these for the quote that ends a text.
_SINGLE = "'\u2018\u2019\u201a\u201b"


class CannotSay(Exception):
    """A value that a shell has no words for; `str()` says which and what to do."""


class Shell(NamedTuple):
    """How a shell sets a variable, unsets it, remarks, and takes in what a command prints."""

    sets: Callable[[str, str], str]
    unsets: Callable[[str], str]
    remark: str
    use: str


def lines(shell: str, variables: Mapping[str, str], remarks: tuple[str, ...]) -> list[str]:
    """Give the lines for a shell: remarks, then the variables; those that are "" are unset.

    Raises CannotSay.
    """
    told = SHELLS[shell]
    found = [f"{told.remark} {line}" for remark in remarks for line in remark.splitlines()]
    for name, value in variables.items():
        found.append(told.sets(name, value) if value else told.unsets(name))
    return found


def guessed(environ: Mapping[str, str], system: str) -> str:
    """Give the shell that a person probably uses; `system` as sys.platform has it."""
    name = environ.get("SHELL", "").replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    if name in SHELLS:
        return name
    if system == "win32":
        return "cmd" if "PROMPT" in environ else "powershell"
    return "sh"


def _posix(name: str, value: str) -> str:
    return f"export {name}={shlex.quote(value)}"


def _fish(name: str, value: str) -> str:
    text = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"set -gx {name} '{text}'"


def _powershell(name: str, value: str) -> str:
    text = "".join(letter * 2 if letter in _SINGLE else letter for letter in value)
    return f"$env:{name} = '{text}'"


def _cmd(name: str, value: str) -> str:
    """Give a line of a batch file. Quotes in a value end the quoting there, and begin it again."""
    if any(letter in value for letter in "\r\n\0"):
        raise CannotSay(f"cmd has no words for the lines of {name}; take --shell powershell")
    text, quoted = "", True
    for letter in value.replace("%", "%%"):
        if letter == '"':
            quoted = not quoted
        text += f"^{letter}" if letter in _CMD_ACTS and not quoted else letter
    return f'@set "{name}={text}"'


_BOURNE = Shell(_posix, "unset {}".format, "#", 'eval "$({})"')

SHELLS: Mapping[str, Shell] = MappingProxyType(
    {
        "bash": _BOURNE,
        "zsh": _BOURNE,
        "sh": _BOURNE,
        "fish": Shell(_fish, "set -eg {}".format, "#", "{} | source"),
        "powershell": Shell(
            _powershell,
            "Remove-Item Env:{} -ErrorAction SilentlyContinue".format,
            "#",
            "{} | Out-String | Invoke-Expression",
        ),
        "cmd": Shell(_cmd, '@set "{}="'.format, "@rem", "{} > env.cmd && call env.cmd"),
    }
)
