"""What is written for people stays true: commands exist, links lead somewhere, the map is right."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from holdgate.cli.main import build
from holdgate.core.traffic.attempts import UNSAID_PAUSES
from holdgate.core.traffic.repeats import AFTER_FAULTS, REPEATED_WITHIN
from holdgate.core.values.errors import ALONE, PAUSES, POLICIES, REST_MOST, FaultKind, Policy
from holdgate.core.values.kinds import format_duration

HOUSE = Path(__file__).parents[1]
PAGES = [*sorted(HOUSE.glob("*.md")), *sorted((HOUSE / "docs").glob("*.md"))]
COMMANDS = HOUSE / "docs/commands.md"
FAILOVER = HOUSE / "docs/failover.md"
ROOMS = HOUSE / "core/holdgate/core"

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# What stands before a program's name in a line of shell, and what ends its arguments.
PROGRAM = re.compile(r"(?:^|[\s/;|&(])gateway(?:-nogui)? +([^;|&)#>]*)")

TREE = build(gui=True)
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@pages
def test_named_commands_exist(page: Path) -> None:
    wrong = [(line, why) for line in command_lines(page) if (why := refused(line))]
    assert wrong == []


def test_commands_are_found_at_all() -> None:
    found = {line for page in PAGES for line in command_lines(page)}
    assert "serve --demo" in found
    assert len(found) > 10


@pytest.mark.parametrize(
    ("line", "good"),
    [
        ("serve --demo --port 0", True),
        ("provider test deepseek -m x --json", True),
        ("run claude -m x -- --resume", True),
        ("run claude --resume", False),
        ("--version", True),
        ("serve --no-such-option", False),
        ("provider", True),
        ("provider no-such-command", False),
        ("no-such-command", False),
    ],
)
def test_wrong_commands_are_noticed(line: str, good: bool) -> None:
    assert (refused(line) is None) == good


def test_every_command_has_its_place() -> None:
    headings = set(HEADING.findall(text(COMMANDS)))
    missing = [name for name in leaves(TREE) if f"`gateway {name}`" not in headings]
    assert missing == []


@pages
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in LINK.findall(prose(page)):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_the_map_names_every_room_and_no_other() -> None:
    rooms = {folder.name for folder in ROOMS.iterdir() if any(folder.glob("*.py"))}
    assert rooms_of_the_map() == rooms


def test_the_map_names_every_top_folder_that_is_there() -> None:
    named = re.findall(r"^([a-z]+|\.ci)/", the_map(), re.MULTILINE)
    assert [name for name in named if not (HOUSE / name).is_dir()] == []


def test_the_kinds_of_fault_are_as_decided() -> None:
    section = text(FAILOVER).partition("## Kinds of fault")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:1] == "|"][2:]
    vendors = list(FaultKind)[: list(FaultKind).index(FaultKind.QUEUE)]
    expected = [[str(kind), *follows(POLICIES[kind])] for kind in vendors]
    assert [[kind, *what] for kind, _, *what in rows] == expected


def test_the_numbers_of_failover_are_as_decided() -> None:
    page = " ".join(text(FAILOVER).split())
    first, second, third = (f"{seconds:g}" for seconds in UNSAID_PAUSES)
    for words in (
        f"after {PAUSES[0]:g} and {PAUSES[1]:g} seconds",
        f"{first}, {second} and {third} seconds",
        f"is {ALONE.first:g} seconds, doubling to {format_duration(ALONE.most)}",
        f"for at most {REST_MOST / 86400:g} days",
        f"less than {REPEATED_WITHIN:g} seconds ago",
        f"waits {AFTER_FAULTS[0]:g} second, kept alive, then "
        + ", ".join(f"{seconds:g}" for seconds in AFTER_FAULTS[1:]),
    ):
        assert words in page


def follows(policy: Policy) -> list[str]:
    """Say what follows from a kind of fault as the page does: told, again, next, rest."""
    who = {"any": "anybody", "larger": "who has more room", "none": "nobody"}[policy.next]
    told = f"{policy.status} `{policy.code}`" if policy.code else str(policy.status)
    return [told, str(policy.again or "no"), who, resting(policy)]


def resting(policy: Policy) -> str:
    terms = policy.rest
    if terms is None:
        return "no"
    if policy.refused:
        return f"until it changes; a probe each {format_duration(terms.first)}"
    if terms.first == terms.most:
        return format_duration(terms.first)
    return f"{format_duration(terms.first)}, doubling to {format_duration(terms.most)}"


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> str:
    """Give a page without its blocks of code."""
    return FENCE.sub("", text(page))


def command_lines(page: Path) -> Iterator[str]:
    """Give the arguments of every `gateway` that a page tells people to type.

    Of a terminal session only the lines after a prompt: the others are what a program said.
    """
    for language, block in FENCE.findall(text(page)):
        typed = block.replace("\\\n", " ").splitlines()
        if language == "console":
            typed = [line.removeprefix("$ ") for line in typed if line.startswith("$ ")]
        elif language != "sh":
            continue
        for line in typed:
            yield from (found.strip() for found in PROGRAM.findall(line.partition(" # ")[0]))
    for span in INLINE.findall(prose(page)):
        words = " ".join(span.split())
        if words.startswith(("gateway ", "gateway-nogui ")):
            yield from (found.strip() for found in PROGRAM.findall(words))


def refused(line: str) -> str | None:
    """Say why `gateway LINE` would be wrong usage; None if it would not."""
    command: click.Command = TREE
    words = shlex.split(line)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            return f"no command {words[0]}"
        command, words = found, words[1:]
    known = {"-h", "--help"} | {
        name for param in command.params for name in (*param.opts, *param.secondary_opts)
    }
    words = words[: words.index("--")] if "--" in words else words  # the rest is for an agent
    unknown = [w for w in words if w.startswith("-") and w.partition("=")[0] not in known]
    return f"no option {unknown[0]}" if unknown else None


def leaves(group: click.Group, before: str = "") -> Iterator[str]:
    """Give the full names of all commands that are no groups."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from leaves(command, f"{before}{name} ")
        else:
            yield before + name


def anchors(page: Path) -> set[str]:
    """Give the anchors of a page's headings, as they are made from their words."""
    titles = (re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(prose(page)))
    return {title.replace(" ", "-") for title in titles}


def the_map() -> str:
    """Give the block of README.md that lists the folders."""
    section = text(HOUSE / "README.md").partition("## The map of the house")[2]
    blocks = FENCE.findall(section)
    assert blocks, "README.md has no map"
    return str(blocks[0][1])


def rooms_of_the_map() -> set[str]:
    """Give the folders that are indented below core/holdgate/core/."""
    below = the_map().partition("core/holdgate/core/")[2].partition("\n")[2]
    indented = re.match(r"(?:  .*\n)*", below)
    assert indented is not None
    return set(re.findall(r"^  ([a-z_]+)/", indented[0], re.MULTILINE))
