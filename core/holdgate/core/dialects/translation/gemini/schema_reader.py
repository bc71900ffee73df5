"""Schemas of Gemini's agents: its OpenAPI form told as JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from holdgate.core.dialects.translation.gemini.looking import Raw, camel, value, wrong
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.values.errors import Fault, FaultKind

_Json = dict[str, Any]
# Whether there is anything to tell otherwise; what only looks like it costs time, nothing else.
_OPENAPI = re.compile(
    rb'"type"\s*:\s*"[A-Z]|"nullable"|"example"|[oO]rdering"|"format"\s*:\s*"enum"|"(?:ref|defs)"|'
    rb'"(?:any_of|(?:min|max)_?(?:Items|items|Length|length|Properties|properties))"'
)
_SPELT: Mapping[str, str] = MappingProxyType({"ref": "$ref", "defs": "$defs"})
# Google gives these as texts, since they are 64 bits long.
_COUNTS = frozenset(
    {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}
)
_DEEPEST = 200


def read_schema(raw: Raw, path: str) -> bytes:
    """Give the JSON Schema that says what `raw` says; as it was written if it already is one."""
    if _OPENAPI.search(bytes(raw)) is None:
        return bytes(raw)
    found = value(raw, path)
    if not isinstance(found, dict):
        raise wrong(path, "an object")
    return dumps(_schema(found, path, 0))


def _schema(found: object, path: str, depth: int) -> Any:
    if not isinstance(found, dict):
        return found
    if depth > _DEEPEST:
        raise Fault(FaultKind.REQUEST, f"{path}: nested too deeply")
    told: _Json = {}
    for own, inner in found.items():
        name = _SPELT.get(own, camel(own))
        _tell(told, name, inner, path, depth + 1)
    if told.get("type") in ("integer", "number") and isinstance(told.get("enum"), list):
        told["enum"] = [_number(item) for item in told["enum"]]
    return _nullable(told) if found.get("nullable") is True else told


def _tell(told: _Json, name: str, inner: Any, path: str, depth: int) -> None:
    match name:
        case "type":
            kind = inner.lower() if isinstance(inner, str) else inner
            if kind != "type_unspecified":
                told["type"] = kind
        case "nullable" | "propertyOrdering":
            pass
        case "format" if inner == "enum":
            pass
        case "example":
            told["examples"] = [inner]
        case "properties" | "$defs" if isinstance(inner, dict):
            # Names of properties are the person's, whatever they look like.
            told[name] = {own: _schema(one, path, depth) for own, one in inner.items()}
        case "anyOf" | "oneOf" | "allOf" | "prefixItems" if isinstance(inner, list):
            told[name] = [_schema(one, path, depth) for one in inner]
        case "items" | "additionalProperties" | "not":
            told[name] = _schema(inner, path, depth)
        case "$ref" if isinstance(inner, str):
            told[name] = inner.replace("#/defs/", "#/$defs/")
        case _:
            told[name] = _number(inner) if name in _COUNTS else inner


def _nullable(told: _Json) -> _Json:
    """Add null to what the schema allows."""
    if isinstance(told.get("type"), str):
        told["type"] = [told["type"], "null"]
    elif isinstance(told.get("anyOf"), list):
        told["anyOf"] = [*told["anyOf"], {"type": "null"}]
    if isinstance(told.get("enum"), list) and None not in told["enum"]:
        told["enum"] = [*told["enum"], None]
    return told


def _number(found: Any) -> Any:
    if not isinstance(found, str):
        return found
    try:
        return int(found)
    except ValueError:
        pass
    try:
        return float(found)
    except ValueError:
        return found
