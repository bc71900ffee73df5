"""What a JSON Schema says, found out: references, merged parts, types, bounds and choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from types import MappingProxyType
from typing import Any, TypeGuard

_Json = dict[str, Any]
# Constraints that get lost: they are told. Everything else unknown is an annotation.
CONSTRAINTS = frozenset(
    {
        "not",
        "if",
        "patternProperties",
        "propertyNames",
        "dependentRequired",
        "dependentSchemas",
        "contains",
        "uniqueItems",
        "multipleOf",
    }
)
# Values with which they say nothing: names are texts anyway, as zod writes for each record.
_IDLE: Mapping[str, tuple[object, ...]] = MappingProxyType(
    {
        "propertyNames": (True, {}, {"type": "string"}),
        "patternProperties": ({},),
        "dependentRequired": ({},),
        "dependentSchemas": ({},),
        "uniqueItems": (False, None),
    }
)
_KINDS = frozenset({"string", "integer", "number", "boolean", "array", "object"})
_MOST_MERGES = 200
_LARGEST_COUNT = 2**63 - 1


def constrains(name: str, value: object) -> bool:
    """Tell whether a constraint forbids anything."""
    return value not in _IDLE.get(name, ())


class Resolver:
    """Follows references within one schema, and knows which of them are being followed."""

    def __init__(self, root: _Json) -> None:
        """Take the whole schema."""
        self._root = root
        self._within: list[str] = []

    def enter(self, schema: _Json) -> tuple[_Json, bool]:
        """Give a schema with its reference put in place, and whether it is within itself."""
        ref = schema.get("$ref")
        if not isinstance(ref, str):
            return schema, False
        is_recursive = ref in self._within
        self._within.append(ref)
        found = self.target(ref)
        beside = {name: inner for name, inner in schema.items() if name != "$ref"}
        return found | beside, is_recursive

    def leave(self, schema: _Json) -> None:
        """The schema that was entered is told."""
        if isinstance(schema.get("$ref"), str):
            self._within.pop()

    def target(self, ref: str) -> _Json:
        """Give what a reference leads to; an empty schema where it leads nowhere."""
        for _ in range(20):  # references to references
            found = self._at(ref)
            if not (isinstance(found.get("$ref"), str) and len(found) == 1):
                return found
            ref = found["$ref"]
        return {}

    def _at(self, ref: str) -> _Json:
        found: Any = self._root
        if not ref.startswith("#"):
            return {}
        for step in ref[1:].split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
                found = found[int(name)]
            elif isinstance(found, dict):
                found = found.get(name)
            else:
                return {}
        return found if isinstance(found, dict) else {}


def merged(schema: _Json, target: Callable[[str], _Json]) -> _Json:
    """Give a schema with the parts of its `allOf` (and of theirs) in one."""
    rest = [schema]
    told: _Json = {}
    for _ in range(_MOST_MERGES):
        if not rest:
            break
        part = rest.pop(0)
        if isinstance(part.get("$ref"), str) and part is not schema:
            part = target(part["$ref"]) | {n: v for n, v in part.items() if n != "$ref"}
        inner = part.get("allOf")
        if isinstance(inner, list):
            rest = [one for one in inner if isinstance(one, dict)] + rest
        told = _joined(told, part)
    return told


def _joined(told: _Json, part: _Json) -> _Json:
    found = dict(told)
    for name, inner in part.items():
        if name in ("allOf", "$ref"):
            continue
        before = found.get(name)
        if name == "properties" and isinstance(before, dict) and isinstance(inner, dict):
            found[name] = before | inner
        elif name == "required" and isinstance(before, list) and isinstance(inner, list):
            found[name] = before + [one for one in inner if one not in before]
        elif name in ("description", "title") and before:
            # The outer words say what this place is for; a branch's own are nearer to it.
            found[name] = inner if isinstance(inner, str) and inner else before
        else:
            found[name] = inner
    return found


def kinds_of(schema: _Json) -> tuple[list[str], bool]:
    """Give the types that a schema allows, and whether null is one of them."""
    said = schema.get("type")
    listed = said if isinstance(said, list) else [said]
    kinds = [str(kind).lower() for kind in listed if isinstance(kind, str)]
    nullable = "null" in kinds or schema.get("nullable") is True
    found = [kind for kind in dict.fromkeys(kinds) if kind in _KINDS]
    if not found and "null" not in kinds:
        found = _guessed(schema)
    values = schema.get("enum")
    if isinstance(values, list) and None in values:
        nullable = True
    return found, nullable


def _guessed(schema: _Json) -> list[str]:
    """Give the type of a schema that does not say it."""
    if isinstance(schema.get("properties"), dict):
        return ["object"]
    if "items" in schema or "prefixItems" in schema:
        return ["array"]
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(values, list):
        return []
    return list(dict.fromkeys(kind for value in values if (kind := _kind_of(value))))


def _kind_of(value: object) -> str:
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "number"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            return ""


def choices(schema: _Json, kind: str) -> list[Any] | None:
    """Give the allowed values of one type, None where any is."""
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(values, list):
        return None
    fitting = {kind, "integer"} if kind == "number" else {kind}
    found = [value for value in values if _kind_of(value) in fitting]
    unique = [value for at, value in enumerate(found) if value not in found[:at]]
    return unique or None


def bounded(schema: _Json, is_integer: bool) -> tuple[_Json, bool]:
    """Give `minimum` and `maximum`, and whether they say just what the schema says."""
    found: _Json = {}
    is_exact = True
    for name, exclusive, step in (
        ("minimum", "exclusiveMinimum", 1),
        ("maximum", "exclusiveMaximum", -1),
    ):
        bound, beyond = schema.get(name), schema.get(exclusive)
        if _is_number(bound):
            found[name] = bound
        if beyond is True and name in found:
            # Draft 4: a flag beside the bound.
            beyond = found.pop(name)
        if _is_number(beyond):
            is_whole = is_integer and int(beyond) == beyond
            inner = int(beyond) + step if is_whole else beyond
            is_exact = is_exact and is_whole
            both = (inner, found.get(name, inner))
            found[name] = max(both) if step > 0 else min(both)
    return found, is_exact


def is_count(value: object) -> bool:
    """Tell whether a value can stand as a number of characters, items or properties."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_COUNT


def _is_number(value: object) -> TypeGuard[int | float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return isfinite(value)
    except OverflowError:
        return False
