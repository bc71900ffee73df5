"""Entries: the texts that make a desktop, systemd, launchd or Windows start a program at login.

Each system has its own rules of quoting; a path with a space or a percent sign must survive all.
"""

from __future__ import annotations

import plistlib
import re
import subprocess
from collections.abc import Mapping, Sequence
from xml.parsers.expat import ExpatError

NAME = "Holdgate"
LABEL = "holdgate.gateway"  # of the launchd agent
# Exit codes of `gateway serve` that another start does not mend: wrong configuration, port in use,
# already running.
HOPELESS = (2, 3, 4)
# Beyond the 10 seconds that streams are given to finish, and what the last writes may take.
STOP_SECONDS = 40
# launchd knows no hopeless exit codes: there a second start is at least not tried at once.
THROTTLE_SECONDS = 60

_DESKTOP_RESERVED = re.compile(r"""[\s"'\\><~|&;$*?#()`]""")
# systemd starts no program with these in its path, but passes them on as arguments.
_UNIT_REFUSED = re.compile(r"""["'\\]""")
_UNIT_PLAIN = re.compile(r"[\w@+=:,./-]+", re.ASCII)


def desktop_entry(words: Sequence[str], environ: Mapping[str, str]) -> str:
    """Give an XDG autostart entry."""
    if environ:
        words = ("env", *(f"{name}={text}" for name, text in environ.items()), *words)
    return (
        "[Desktop Entry]\n"
        "Type=Application\n"
        f"Name={NAME}\n"
        "Comment=Gateway between coding agents and LLM vendors\n"
        f"Exec={' '.join(_desktop_word(word) for word in words)}\n"
        "Terminal=false\n"
        "StartupNotify=false\n"
        "X-GNOME-Autostart-Delay=5\n"
    )


def user_unit(words: Sequence[str], environ: Mapping[str, str]) -> str:
    """Give a unit of systemd's user manager."""
    given = "".join(
        f"Environment={_unit_word(f'{name}={text}', spare_dollars=True)}\n"
        for name, text in environ.items()
    )
    if _UNIT_REFUSED.search(words[0]):
        words = ("/usr/bin/env", *words)
    program, *arguments = words
    # Dollars mean variables, but not in the program's own path.
    command = [_unit_word(program, spare_dollars=True), *map(_unit_word, arguments)]
    return (
        "[Unit]\n"
        f"Description={NAME}, gateway between coding agents and LLM vendors\n"
        "\n"
        "[Service]\n"
        "Type=exec\n"
        f"{given}"
        f"ExecStart={' '.join(command)}\n"
        "Restart=on-failure\n"
        "RestartSec=5\n"
        f"RestartPreventExitStatus={' '.join(map(str, HOPELESS))}\n"
        f"TimeoutStopSec={STOP_SECONDS}\n"
        "\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )


def launch_agent(
    words: Sequence[str], environ: Mapping[str, str], *, tray: bool, errors: str
) -> str:
    """Give a launchd agent; `errors` is the file for what it writes to stderr.

    With a tray icon it runs only where there is a screen. `KeepAlive` must not be plain true:
    launchd would undo the icon's Quit.
    """
    agent: dict[str, object] = {
        "Label": LABEL,
        "ProgramArguments": list(words),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": THROTTLE_SECONDS,
        "ExitTimeOut": STOP_SECONDS,
        "ProcessType": "Interactive" if tray else "Standard",
        "StandardErrorPath": errors,
    }
    if tray:
        agent["LimitLoadToSessionType"] = "Aqua"
    if environ:
        agent["EnvironmentVariables"] = dict(environ)
    return plistlib.dumps(agent, sort_keys=False).decode()


def run_command(words: Sequence[str]) -> str:
    """Give the value of a Run entry."""
    return subprocess.list2cmdline(words)


def shown_command(text: str) -> str:
    """Give what an entry of any kind starts, for people; empty if that cannot be told."""
    if found := re.search(r"^(?:Exec|ExecStart)=(.*)$", text, re.MULTILINE):
        return found[1]
    if "<plist" not in text:
        return ""
    try:
        words = plistlib.loads(text.encode())["ProgramArguments"]
    except (ExpatError, plistlib.InvalidFileException, ValueError, KeyError, TypeError):
        return ""
    return " ".join(map(str, words))


def switched_off(text: str) -> bool:
    """Tell whether a desktop's own settings have switched an XDG entry off."""
    return bool(
        re.search(r"^(Hidden=true|X-GNOME-Autostart-enabled=false)\s*$", text, re.MULTILINE)
    )


def _desktop_word(word: str) -> str:
    """Quote a word of Exec: once for the command line, once more for the file's own escapes."""
    word = word.replace("%", "%%")
    if word and not _DESKTOP_RESERVED.search(word):
        return word
    quoted = re.sub(r'(["`$\\])', r"\\\1", word)
    return f'"{quoted}"'.replace("\\", "\\\\")


def _unit_word(word: str, *, spare_dollars: bool = False) -> str:
    word = word.replace("%", "%%")
    if not spare_dollars:
        word = word.replace("$", "$$")
    if _UNIT_PLAIN.fullmatch(word):
        return word
    quoted = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'
