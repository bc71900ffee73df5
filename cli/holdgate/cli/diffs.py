"""Diffs: what becomes of a file, for people, without the secrets that stand in it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from holdgate.cli.lines import printable

if TYPE_CHECKING:
    from pathlib import Path

# A member whose name speaks of a secret, and its value: "apiKey": "...", api_key = '...', token: x
_NAMED = re.compile(
    r"""(?P<name>["']?[\w.-]*(?:auth|key|token|secret|cookie|passw|credential|session)[\w.-]*["']?
        \s*[:=]\s*)(?P<quote>["']?)(?P<value>[^"',}\]\s\#][^"',}\]\#]*)""",
    re.IGNORECASE | re.VERBOSE,
)
# What is no secret: flags, numbers, and words that say where a key is.
_PLAIN = re.compile(r"true|false|null|[\d.]+|\W.*|(?:env|file|keyring):.*|[A-Z][A-Z0-9_]*")


def diff(file: Path, before: str | None, after: str | None, ours: Iterable[str]) -> list[str]:
    """Give the lines of a unified diff; what looks like a secret is masked, but for `ours`."""
    old, new = ("/dev/null" if text is None else str(file) for text in (before, after))
    lines = difflib.unified_diff(_lines(before), _lines(after), old, new, n=2, lineterm="")
    public = frozenset(ours)
    return [printable(_masked(line, public)) for line in lines]


def _lines(text: str | None) -> list[str]:
    return [] if text is None else text.removeprefix("\ufeff").splitlines()


def _masked(line: str, public: frozenset[str]) -> str:
    from holdgate.core.config.masks import mask_text
    from holdgate.core.values.secret import MASK

    def hidden(found: re.Match[str]) -> str:
        value = found["value"].rstrip()
        shown = value in public or bool(_PLAIN.fullmatch(value))
        return found[0] if shown else f"{found['name']}{found['quote']}{MASK}"

    return _NAMED.sub(hidden, mask_text(line))
