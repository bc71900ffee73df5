"""What is confidential in an agent's file: found by where it stands, not by what it looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

SHORTEST: Final = 4  # letters; shorter texts would be masked in the middle of words

# What speaks of a secret in a name, and in an option before it: --api-key, --token=...
_WORD: Final = (
    r"auth(?!or)|key|token|secret|cookie|passw|passphrase|pwd|credential|signature|session|bearer"
    r"|private|jwt|(?:^|[_-])(?:pat|pass|dsn|access|refresh)(?:$|[_-])|(?:access|refresh)$"
)
SECRET_NAME: Final = re.compile(_WORD, re.IGNORECASE)
# Of these all is, whatever the names in them are: whoever adds a header adds a secret, mostly.
_WHOLE: Final = re.compile(
    r"headers$|(?:key|token|secret|cookie|credential|password)s?$", re.IGNORECASE
)
_OPTION: Final = re.compile(rf"--?[\w-]*(?:{_WORD})[\w-]*", re.IGNORECASE)
# What is no secret: numbers, flags, and words that say where one is.
_PLAIN: Final = re.compile(
    r"true|false|null|[\d.]{1,7}|\$[A-Z_][A-Z0-9_]*|\$\{[A-Z_][A-Z0-9_]*\}|%[A-Z_][A-Z0-9_]*%"
    r"|\{(?:env|file):[^{}]*\}|\$\{\{.*\}\}|<[^<>]*>|(?:env|file|keyring):.*|[A-Z]+(?:_[A-Z0-9]+)+"
)
_OPENING: Final = re.compile(r"(?:Bearer|Basic|Token)\s+", re.IGNORECASE)


def is_plain(text: str) -> bool:
    """Tell whether a text in the place of a secret is none."""
    return bool(_PLAIN.fullmatch(text))


def confidential(value: object, named: bool = False) -> Iterator[str]:
    """Give the texts in a parsed file that stand where secrets do.

    `named`: whether the name of the value itself says that it is one. What a name says counts for
    a list below it as well, and for a mapping where all in such a one is secret.
    """
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from confidential(each, _is_named(str(name), each, named))
    elif isinstance(value, list):
        before = ""
        for each in value:
            yield from confidential(each, named or bool(_OPTION.fullmatch(before)))
            before = each if isinstance(each, str) else ""
    elif isinstance(value, str):
        text = value if named else _of_option(value)
        text = _OPENING.sub("", text.strip(), count=1)
        if len(text) >= SHORTEST and not is_plain(text):
            yield text


def _is_named(name: str, value: object, above: bool) -> bool:
    if isinstance(value, Mapping):
        return above or bool(_WHOLE.search(name))
    return above or bool(SECRET_NAME.search(name))


def _of_option(text: str) -> str:
    """Give what stands behind the sign of an option such as --token=..., or ""."""
    name, equals, rest = text.partition("=")
    return rest if equals and _OPTION.fullmatch(name) else ""
