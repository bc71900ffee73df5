"""Masks: how a value from config.toml may be shown without showing a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from holdgate.core.editing.base import KeyPath
from holdgate.core.values.secret import MASK, SHORTEST_MASKED, Secret, mask

LONGEST_SHOWN = 60
_REFERENCES = ("env", "file", "keyring")
# What vendors put in front of their keys, or a run too long and too mixed to be a word.
_KEY_LIKE = re.compile(
    r"\bsk[-_][A-Za-z0-9_-]{6,}"
    r"|\b(?:pk|rk|ak|gsk|xai|hf|ghp|gho|pplx|nvapi|tvly|fw)[-_](?=[\w-]*\d)[\w-]{16,}"
    r"|\bAIza[\w-]{10,}|\bya29\.\S+|\bBearer\s+\S+"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9_]{24,}"
)
_SECRET_WORD = re.compile(
    r"auth|key|token|secret|cookie|passw|credential|signature|session", re.IGNORECASE
)
_USERINFO = re.compile(r"://\S*@")
# An address without its scheme, as it is written by mistake.
_BARE_LOGIN = re.compile(r"(?<![^\s\"'\[,=])[^\s\"'/@:]+:(?!//)[^\s\"'@]+@(?=[^\s@])")
_QUERY = re.compile(r"(://[^\s?]*)\?\S+")


def is_reference(value: str) -> bool:
    """Tell whether a key's value says where the key is, and is no key itself."""
    scheme, colon, _ = value.partition(":")
    return bool(colon) and scheme.strip().lower() in _REFERENCES


def is_secret_header(name: str) -> bool:
    """Tell whether a header of that name is likely to hold a secret."""
    return bool(_SECRET_WORD.search(name))


def mask_key(value: str) -> str:
    """Give a reference as it is, nothing for nothing, and the mask for a key."""
    return value if not value or is_reference(value) else MASK


def mask_url(text: str) -> str:
    """Give `text` without user, password and query of the URL in it."""
    text = _USERINFO.sub(f"://{MASK}@", _BARE_LOGIN.sub(f"{MASK}@", text))
    return _QUERY.sub(rf"\1?{MASK}", text)


def mask_text(text: str, secrets: tuple[Secret, ...] = ()) -> str:
    """Give `text` without `secrets`, without anything shaped like a key, without URL passwords."""
    return _KEY_LIKE.sub(MASK, mask_url(mask(text, secrets)))


def secrets_in(data: Mapping[str, object]) -> tuple[Secret, ...]:
    """Give every key that a parsed config.toml holds, wherever below `key` and `keys` it stands.

    They are masked in all messages, since the same text may stand in a wrong place as well.
    """
    providers = data.get("providers")
    tables = providers.values() if isinstance(providers, dict) else ()
    found = {
        text
        for table in tables
        if isinstance(table, dict)
        for text in (*_texts(table.get("key")), *_texts(table.get("keys")))
        if len(text) >= SHORTEST_MASKED and not is_reference(text)
    }
    # The longest first: a key that begins like another is masked whole.
    return tuple(Secret(text) for text in sorted(found, key=len, reverse=True))


def hides_value(path: KeyPath) -> bool:
    """Tell whether the value at a key path is a key, or may hold one, and is never shown."""
    if len(path) < 3 or path[0] != "providers":
        return False
    if path[2] == "keys":
        return len(path) < 5 or path[4] in ("value", "key")
    return path[2] in ("key", "headers")


def shown(value: object, secrets: tuple[Secret, ...] = ()) -> str:
    """Give a TOML value as a person would write it, shortened and masked."""
    text = mask_text(_written(value), secrets)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def type_of(value: object) -> str:
    """Give what a TOML value is, without its content."""
    match value:
        case bool():
            return "true or false"
        case str():
            return "a text" if value.strip() else "an empty text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date or time"


def _written(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return '"' + value.replace("\n", "\\n") + '"'
        case list():
            return "[" + ", ".join(_written(item) for item in value) + "]"
        case int() if abs(value) >= 10**30:  # str() of a huge one raises
            return "a huge number"
        case int() | float():
            return str(value)
        case _:
            return type_of(value)


def _texts(value: object, name: str = "") -> Iterator[str]:
    match value:
        case str() if name != "name":  # a key's name is there to be shown
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            for key, item in value.items():
                yield from _texts(item, str(key))
        case _:
            return
