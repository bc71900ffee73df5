"""A preset: a vendor as the catalogue describes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args
from urllib.parse import urlsplit

from holdgate.core.values.names import DIALECT_NAMES, DialectName

AuthPlace = Literal["bearer", "x-api-key", "x-goog-api-key"]
AUTH_PLACES: Final[tuple[AuthPlace, ...]] = get_args(AuthPlace)

PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")
# What may stand for a placeholder: one part of a host's name.
_ANSWER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


class WrongAnswer(ValueError):
    """An answer that fits into no address; `str()` says which, and what is wanted."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What must be known of the person's account: `text` says what, `default` is "" for none."""

    text: str
    default: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A vendor.

    `bases` holds a base URL for each dialect it speaks, in the form that config.toml takes, with a
    placeholder such as `{region}` for each of `asks`. A `generic` one has none: the person gives
    them, and `example` tells what they look like. `auth` holds only the dialects whose key goes
    elsewhere than usual; `hosted` the kinds of tools that the vendor runs itself, by the dialect in
    which it takes them; `limits` any of concurrency, rpm, tpm (counts) and window (seconds), where
    the vendor publishes fixed ones, with `limits_source`. `rate_headers` is the form in which it
    tells what is left, "" where that is not known.

    `lists` holds the whole address of the list of models in the dialects that have it elsewhere
    than usual; "" says that there is none. `models` is None where the vendor's own list is to be
    asked. `unverified` are the dialects whose address was not seen on the vendor's own pages.
    """

    name: str
    title: str
    bases: Mapping[DialectName, str]
    key_env: str = ""
    key_page: str = ""
    needs_key: bool = True
    generic: bool = False
    auth: Mapping[DialectName, AuthPlace] = field(default_factory=dict)
    hosted: Mapping[DialectName, tuple[str, ...]] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    limits_source: str = ""
    rate_headers: str = ""
    quirks: tuple[str, ...] = ()
    asks: Mapping[str, Ask] = field(default_factory=dict)
    example: Mapping[DialectName, str] = field(default_factory=dict)
    lists: Mapping[DialectName, str] = field(default_factory=dict)
    models: tuple[str, ...] | None = None
    unverified: tuple[DialectName, ...] = ()
    notes: str = ""

    @property
    def dialects(self) -> tuple[DialectName, ...]:
        """The dialects that it speaks, or of a generic one, that it may speak."""
        known = self.bases or self.example
        return tuple(name for name in DIALECT_NAMES if name in known)

    @property
    def ready(self) -> Mapping[DialectName, str]:
        """The base URLs that are whole as they are; none of a preset that asks, or is generic."""
        return {name: url for name, url in self.bases.items() if not PLACEHOLDER.search(url)}

    @property
    def is_local(self) -> bool:
        """Whether it runs on the person's own machine."""
        return any(urlsplit(url).hostname in _LOOPBACK for url in self.bases.values())


def filled(preset: Preset, answers: Mapping[str, str]) -> dict[DialectName, str]:
    """Give the base URLs with `answers` in place of what the preset asks; "" takes its default.

    Raises WrongAnswer for an answer that is missing, or that is no part of a host's name.
    """
    known = {name: _answer(name, ask, answers.get(name, "")) for name, ask in preset.asks.items()}
    return {
        dialect: PLACEHOLDER.sub(lambda found: known[found[1]], url)
        for dialect, url in preset.bases.items()
    }


def examples(preset: Preset) -> dict[DialectName, str]:
    """Give base URLs as the person might write them, for those that a preset cannot know."""
    if preset.generic:
        return dict(preset.example)
    answers = {name: ask.default or f"my-{name}" for name, ask in preset.asks.items()}
    return filled(preset, answers)


def _answer(name: str, ask: Ask, given: str) -> str:
    answer = given.strip() or ask.default
    if not answer:
        raise WrongAnswer(f"{name}: the {ask.text} is needed")
    if not _ANSWER.fullmatch(answer):
        raise WrongAnswer(f"{name}: the {ask.text} is a name of letters, digits and -, no address")
    return answer
