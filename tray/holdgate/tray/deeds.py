"""Deeds: what a person can have done from the icon, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PauseAll:
    """Start nothing: for so many seconds, until tomorrow morning, or (neither) until resumed."""

    seconds: float | None = None
    tomorrow: bool = False


@dataclass(frozen=True, slots=True)
class ResumeAll:
    """End the pause of all."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """End one request."""

    id: str


@dataclass(frozen=True, slots=True)
class ToTheFront:
    """Let one request overtake the others."""

    id: str


@dataclass(frozen=True, slots=True)
class OpenPage:
    """Open the page, at one request if there is an id."""

    id: str = ""


@dataclass(frozen=True, slots=True)
class CopyAddress:
    """Put the gateway's address into the clipboard."""

    address: str


@dataclass(frozen=True, slots=True)
class StartAtLogin:
    """Switch start at login on or off."""

    on: bool


@dataclass(frozen=True, slots=True)
class ShowNotices:
    """Switch notifications on or off."""

    on: bool


@dataclass(frozen=True, slots=True)
class Quit:
    """Have the gateway drain and end; with none, end the icon."""


Deed = (
    PauseAll
    | ResumeAll
    | Cancel
    | ToTheFront
    | OpenPage
    | CopyAddress
    | StartAtLogin
    | ShowNotices
    | Quit
)
