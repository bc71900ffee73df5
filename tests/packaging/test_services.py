"""What systemd, launchd, Windows and desktops read: valid, and it starts what there is."""

from __future__ import annotations

import plistlib
import re
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import click
import pytest

from holdgate.cli.main import build
from holdgate.core.autostart.entries import HOPELESS, LABEL, STOP_SECONDS, user_unit
from tests.packaging.validators import desktop_problems, unit_problems

PACKAGING = Path(__file__).parents[2] / "packaging"
USER = PACKAGING / "linux/user/holdgate.service"
SYSTEM = PACKAGING / "linux/system/holdgate.service"
DESKTOP = PACKAGING / "linux/holdgate.desktop"
AGENT = PACKAGING / "macos/holdgate.gateway.plist"
TASK = PACKAGING / "windows/task.xml"
DOCKERFILE = PACKAGING / "docker/Dockerfile"

TASKS = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
# launchd.plist(5), of what one would want here: the key and the type of its value.
AGENT_KEYS: dict[str, type] = {
    "Label": str, "ProgramArguments": list, "RunAtLoad": bool, "KeepAlive": dict,
    "ThrottleInterval": int, "ExitTimeOut": int, "ProcessType": str, "StandardErrorPath": str,
    "StandardOutPath": str, "EnvironmentVariables": dict, "LimitLoadToSessionType": str,
    "WorkingDirectory": str,
}  # fmt: skip
PROCESS_TYPES = {"Background", "Standard", "Adaptive", "Interactive"}


def here(file: Path) -> str:
    """Give a unit with a program that is on this machine: systemd looks for it."""
    text = file.read_text()
    found, count = re.subn(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.MULTILINE)
    assert count == 1
    return found


@pytest.mark.system("systemd-analyze")
@pytest.mark.parametrize("file", [USER, SYSTEM], ids=["user", "system"])
@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("", "", ""),
        ("TimeoutStopSec=", "TimeoutStopSecs=", "Unknown key"),
        ("[Service]", "[Services]", "Unknown section"),
        ("Type=exec", "Type=execute", "Failed to parse service type"),
        ("RestartSec=5", "RestartSec=five", "Failed to parse"),
        ("RestartPreventExitStatus=2", "RestartPreventExitStatus=two", "Failed to parse"),
        ("ExecStart=/bin/true", "ExecStart=true'", "nbalanced"),
        ("ExecStart=/bin/true", "ExecStart=/no/such/gateway", "is not executable"),
    ],
)
def test_units(tmp_path: Path, file: Path, good: str, bad: str, said: str) -> None:
    text = here(file)
    assert good in text
    found = unit_problems(text.replace(good, bad), tmp_path, user=file == USER)
    assert said in found
    assert bool(said) == bool(found), found


def test_the_unit_to_copy_is_what_autostart_writes() -> None:
    copied = [line for line in USER.read_text().splitlines() if not line.startswith("#")]
    written = user_unit(["@", "serve"], {}).replace("@", "%h/.local/bin/gateway-nogui")
    assert copied == written.splitlines()


def test_the_unit_of_a_machine_ends_as_the_other_does() -> None:
    keys = ("Restart", "RestartSec", "RestartPreventExitStatus", "TimeoutStopSec", "Type")
    lines = SYSTEM.read_text().splitlines()
    for line in USER.read_text().splitlines():
        if line.partition("=")[0] in keys:
            assert line in lines


@pytest.mark.system("desktop-file-validate")
@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("", "", ""),
        ("Terminal=false", "Terminal=maybe", "Terminal"),
        ("Type=Application\n", "", "required key"),
        ("Categories=Development;", "Categories=Gateways;", "Categories"),
        ("Exec=gateway serve", "Exec=gateway %q", "Exec"),
        ("StartupNotify", "SingleMainWindows", "SingleMainWindows"),
    ],
)
def test_the_desktop_entry(tmp_path: Path, good: str, bad: str, said: str) -> None:
    text = DESKTOP.read_text()
    assert good in text
    found = desktop_problems(text.replace(good, bad) if good else text, tmp_path)
    assert said in found
    assert bool(said) == bool(found), found


def agent_problems(text: bytes) -> list[str]:
    """Say what launchd would not take, or not as it is meant."""
    try:
        agent = plistlib.loads(text, fmt=plistlib.FMT_XML)
    except Exception as error:  # plistlib lets errors of its parsers through
        return [f"no property list: {error}"]
    wrong = [
        f"{key}: no such key, or not a {AGENT_KEYS.get(key)}"
        for key, value in agent.items()
        if type(value) is not AGENT_KEYS.get(key)
    ]
    wrong += [f"{key} is missing" for key in ("Label", "ProgramArguments") if key not in agent]
    if agent.get("ProcessType", "Standard") not in PROCESS_TYPES:
        wrong.append("ProcessType")
    arguments = agent.get("ProgramArguments") or [""]
    if not all(isinstance(word, str) for word in arguments) or arguments[0][:1] != "/":
        wrong.append("ProgramArguments must begin with a whole path: launchd's PATH is short")
    return wrong


def test_the_agent() -> None:
    assert agent_problems(AGENT.read_bytes()) == []
    agent = plistlib.loads(AGENT.read_bytes())
    assert agent["Label"] == LABEL == AGENT.stem
    assert agent["ExitTimeOut"] == STOP_SECONDS
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["RunAtLoad"] is True


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (b"</plist>", b""),
        (b"<true/>", b"<yes/>"),
        (b"RunAtLoad", b"RunOnLoad"),
        (b"<key>RunAtLoad</key>\n\t<true/>", b"<key>RunAtLoad</key>\n\t<string>true</string>"),
        (b"<integer>60</integer>", b"<string>60</string>"),
        (b"<string>/bin/sh</string>", b"<string>gateway-nogui</string>"),
        (b"<string>Standard</string>", b"<string>standard</string>"),
        (b"<key>Label</key>\n\t<string>holdgate.gateway</string>", b""),
    ],
)
def test_a_broken_agent_is_noticed(good: bytes, bad: bytes) -> None:
    text = AGENT.read_bytes()
    assert good in text
    assert agent_problems(text.replace(good, bad))


# The order is that of the schema, which counts: taskType of [MS-TSCH], section 2.5.
TASK_ORDER = ("RegistrationInfo", "Triggers", "Principals", "Settings", "Actions")
SETTINGS = {
    "MultipleInstancesPolicy": "IgnoreNew",
    "DisallowStartIfOnBatteries": "false",
    "StopIfGoingOnBatteries": "false",
    # Else Windows ends it after three days.
    "ExecutionTimeLimit": "PT0S",
}


def task_problems(text: str) -> list[str]:
    """Say what the Task Scheduler would not take, or not as it is meant."""
    try:
        task = ET.fromstring(text.encode())
    except ET.ParseError as error:
        return [f"no XML: {error}"]
    wrong = [] if task.tag == f"{TASKS}Task" else [f"a {task.tag}"]
    order = [child.tag.removeprefix(TASKS) for child in task]
    if order != list(TASK_ORDER):
        wrong.append(f"its parts are {order}")
    if task.find(f"{TASKS}Triggers/{TASKS}LogonTrigger") is None:
        wrong.append("it has no trigger")
    if task.findtext(f".//{TASKS}RunLevel") != "LeastPrivilege":
        wrong.append("it wants rights that it does not need")
    for name, value in SETTINGS.items():
        if task.findtext(f"{TASKS}Settings/{TASKS}{name}") != value:
            wrong.append(name)
    if not task.findtext(f"{TASKS}Actions/{TASKS}Exec/{TASKS}Command"):
        wrong.append("it starts nothing")
    return wrong


def test_the_task() -> None:
    assert task_problems(TASK.read_text()) == []


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("</Task>", ""),
        ("2004/02/mit", "2004/02"),
        ("LogonTrigger", "LoginTrigger"),
        ("LeastPrivilege", "HighestAvailable"),
        ("PT0S", "P3D"),
        ("Command>", "Program>"),
        ("Triggers>", "Trigger>"),
    ],
)
def test_a_broken_task_is_noticed(good: str, bad: str) -> None:
    text = TASK.read_text()
    assert good in text
    assert task_problems(text.replace(good, bad))


def commands() -> Iterator[tuple[str, list[str]]]:
    """Give each command that a file in packaging/ starts: the name of its file, its words."""
    for unit in (USER, SYSTEM):
        yield unit.parent.name, shlex.split(found(r"^ExecStart=(.*)$", unit))
    yield DESKTOP.name, shlex.split(found("^Exec=(.*)$", DESKTOP))
    yield DESKTOP.name, [found("^TryExec=(.*)$", DESKTOP)]
    script = plistlib.loads(AGENT.read_bytes())["ProgramArguments"][2]
    yield AGENT.name, shlex.split(script.partition("2>>")[0].removeprefix("exec "))
    task = ET.fromstring(TASK.read_bytes())
    yield TASK.name, shlex.split(str(task.findtext(f".//{TASKS}Arguments")))
    words = [*re.findall(r'"(.*?)"', found(r"^ENTRYPOINT (.*)$", DOCKERFILE))]
    yield DOCKERFILE.name, words + re.findall(r'"(.*?)"', found(r"^CMD (.*)$", DOCKERFILE))


def found(pattern: str, file: Path) -> str:
    match = re.search(pattern, file.read_text(), re.MULTILINE)
    assert match, (pattern, file)
    return match[1]


@pytest.mark.parametrize(("file", "words"), list(commands()), ids=str)
def test_what_is_started_exists(file: str, words: list[str]) -> None:
    scripts = {each.name: each.load for each in distribution("holdgate").entry_points}
    modules = {"holdgate.cli.nogui": "gateway-nogui"}
    if words[0] == "-m":
        words = [modules[words[1]], *words[2:]]
    name, *arguments = words
    load = scripts[Path(name).name]
    assert isinstance(load(), click.Group), file
    if arguments:
        tree = build(gui=Path(name).name == "gateway")
        command = tree.get_command(click.Context(tree, obj={"gui": True}), arguments[0])
        assert command is not None
        # Raises for an option that there is not.
        command.make_context(arguments[0], arguments[1:], obj={"gui": True})


def test_what_does_not_get_better_is_what_serve_exits_with() -> None:
    from holdgate.cli.commands.serve import ALREADY_RUNNING, PORT_IN_USE
    from holdgate.cli.options import WRONG_CONFIGURATION

    assert set(HOPELESS) == {WRONG_CONFIGURATION, PORT_IN_USE, ALREADY_RUNNING}
