"""Tools' schemas, as chat vendors take them: as they are, but for what one is known to refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from holdgate.core.dialects.raw_events import Members, members, raw

EMPTY: Final = b'{"type":"object","properties":{}}'

# Where schemas stand within a schema: under a name of its own each, in a list, or alone.
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTED = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_ALONE = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains"})

Rule = Callable[[Members], Members]


def acceptable(schema: bytes, dialect: str) -> bytes:
    """Give the schema of a tool's arguments, which vendors want to be an object's."""
    found = members(schema)
    if not found:
        return EMPTY
    if not any(name in found for name in ("type", "$ref", "anyOf", "oneOf", "allOf")):
        schema = bytes(raw({"type": "object", **found}))
    rule = _RULES.get(dialect)
    if rule is None:
        return schema
    try:
        return bytes(_walked(msgspec.Raw(schema), rule))
    except RecursionError:
        return schema


def _walked(schema: msgspec.Raw, rule: Rule) -> msgspec.Raw:
    """Apply a rule to a schema and all within it. Names of properties are no keywords."""
    found = members(schema)
    if found is None:
        return schema
    inner = {}
    for name, value in rule(found).items():
        if name in _NAMED:
            value = _mapped(value, rule)
        elif name in _LISTED:
            value = _each(value, rule)
        elif name in _ALONE:
            value = _walked(value, rule)
        inner[name] = value
    return raw(inner)


def _mapped(value: msgspec.Raw, rule: Rule) -> msgspec.Raw:
    found = members(value)
    return value if found is None else raw({n: _walked(one, rule) for n, one in found.items()})


def _each(value: msgspec.Raw, rule: Rule) -> msgspec.Raw:
    try:
        found = msgspec.json.decode(value, type=list[msgspec.Raw])
    except msgspec.DecodeError:
        return value
    return raw([_walked(one, rule) for one in found])


def _moonshot(found: Members) -> Members:
    """A type beside `anyOf` goes into its items that have none; `$schema` is refused."""
    found = {name: value for name, value in found.items() if name != "$schema"}
    if "anyOf" not in found or "type" not in found:
        return found
    listed: Any = _items(found["anyOf"])
    if listed is None:
        return found
    type = found.pop("type")
    told = [one if "type" in one or "$ref" in one else {"type": type, **one} for one in listed]
    return found | {"anyOf": raw(told)}


def _items(value: msgspec.Raw) -> list[Members] | None:
    try:
        return msgspec.json.decode(value, type=list[Members])
    except msgspec.DecodeError:
        return None


_RULES: Final[dict[str, Rule]] = {"moonshot": _moonshot}
