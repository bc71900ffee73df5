"""Diffs: what becomes of a file, for people, without the secrets that stand in it."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from holdgate.cli.lines import printable

if TYPE_CHECKING:
    from pathlib import Path

# A member whose name speaks of a secret, and its value: "apiKey": "...", api_key = '...', token: x
_NAMED = re.compile(
    r"""(?P<name>["']?[\w.-]*(?:auth(?!or)|key|token|secret|cookie|passw|credential|session)[\w.-]*["']?
        \s*[:=]\s*)
        (?:(?P<quote>")(?P<double>(?:[^"\\]|\\.)+)
         | (?P<single>')(?P<inner>[^']+)
         | (?P<bare>[^"',}\[\]{\s\#][^"',}\]\#]*))""",
    re.IGNORECASE | re.VERBOSE,
)
_BETWEEN_QUOTES = re.compile(r'(?:[^"\\]|\\.?)+')


def diff(
    file: Path,
    before: str | None,
    after: str | None,
    ours: Iterable[str],
    secrets: Iterable[str] = (),
) -> list[str]:
    """Give the lines of a unified diff, with `secrets` masked, and what else looks like one.

    `ours` are texts that may be seen; `secrets` those that are known to stand where secrets do.
    """
    old, new = ("/dev/null" if text is None else str(file) for text in (before, after))
    public = frozenset(ours)
    hiding = _hiding({each for each in secrets if each not in public})
    lines = difflib.unified_diff(_lines(before), _lines(after), old, new, n=2, lineterm="")
    return [printable(_masked(line, public, hiding)) for line in lines]


def _lines(text: str | None) -> list[str]:
    return [] if text is None else text.removeprefix("\ufeff").splitlines()


def _hiding(secrets: Iterable[str]) -> re.Pattern[str] | None:
    """Give what finds secrets as files spell them: escaped, or in several lines."""
    found = sorted({form for each in secrets for form in _spelled(each)}, key=len, reverse=True)
    # Whole words only: else a short one would mask the middle of names.
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, found))})(?!\w)") if found else None


def _spelled(secret: str) -> Iterator[str]:
    from holdgate.core.agents.confidential import SHORTEST

    lines = [line.strip() for line in secret.splitlines()]
    # YAML breaks lines between words.
    words = [each for each in secret.split() if len(each) > 2 * SHORTEST and each != each.lower()]
    for text in (secret, *lines, *words):
        if len(text) >= SHORTEST:
            yield text
            yield text.replace("'", "''")
            yield json.dumps(text)[1:-1]
            yield json.dumps(text, ensure_ascii=False)[1:-1]


def _masked(line: str, public: frozenset[str], hiding: re.Pattern[str] | None) -> str:
    from holdgate.core.agents.confidential import is_plain
    from holdgate.core.config.masks import mask_text
    from holdgate.core.values.secret import MASK

    def hidden(found: re.Match[str]) -> str:
        value = (found["double"] or found["inner"] or found["bare"]).rstrip()
        if value in public or is_plain(value):
            return found[0]
        return f"{found['name']}{found['quote'] or found['single'] or ''}{MASK}"

    if hiding:
        line = hiding.sub(MASK, line)
    # An address ends with its text: of many in one line none may seem to reach into the next.
    line = _BETWEEN_QUOTES.sub(lambda text: mask_text(text[0]), line)
    return _NAMED.sub(hidden, line)
