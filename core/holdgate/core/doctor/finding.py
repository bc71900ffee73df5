"""Findings: one line of what was found, and one of what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

# ok: as it should be; note: worth knowing; warn: will hurt some day; fail: does not work.
State = Literal["ok", "note", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found. `todo` is empty where nothing is to be done."""

    name: str
    state: State
    found: str
    todo: str = ""


@dataclass(frozen=True, slots=True)
class Examined:
    """The findings of one group, such as `files` or `provider deepseek`."""

    group: str
    findings: tuple[Finding, ...]


def ok(name: str, found: str) -> Finding:
    """Give a finding of what is as it should be."""
    return Finding(name, "ok", found)


def note(name: str, found: str, todo: str = "") -> Finding:
    """Give a finding that is worth knowing."""
    return Finding(name, "note", found, todo)


def warn(name: str, found: str, todo: str) -> Finding:
    """Give a finding that something will go wrong, or does so for some."""
    return Finding(name, "warn", found, todo)


def fail(name: str, found: str, todo: str) -> Finding:
    """Give a finding that something does not work."""
    return Finding(name, "fail", found, todo)


def count(groups: Iterable[Examined], state: State) -> int:
    """Count the findings of a state."""
    return sum(each.state == state for group in groups for each in group.findings)


def as_json(groups: Iterable[Examined], version: str) -> Mapping[str, object]:
    """Give the shape of `gateway doctor --json`."""
    groups = tuple(groups)
    return {
        "version": version,
        "checks": [
            {
                "group": group.group, "name": each.name, "state": each.state,
                "found": each.found, "todo": each.todo or None,
            }
            for group in groups for each in group.findings
        ],
        "failed": count(groups, "fail"),
        "warned": count(groups, "warn"),
    }  # fmt: skip
