"""The schema of an answer as structured outputs accept it.

Objects must refuse other properties, and bounds of numbers, texts and lists are refused; those go
into the description. Only places where a schema stands are walked, so that properties which are
named like keywords stay. Source: platform.claude.com/docs, structured outputs, limitations.
"""

from __future__ import annotations

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.json_texts import dumps, loads

_BOUNDS = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
)
_MAPS = ("properties", "$defs", "definitions")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLES = ("items",)
_DEEPEST = 200


def answer_schema(schema: bytes) -> bytes:
    """Give the schema as it is accepted; one that cannot be read comes back as it is."""
    try:
        value = loads(schema)
        return dumps(_walked(value, _DEEPEST)) if isinstance(value, dict) else schema
    except (ValueError, OverflowError, RecursionError):
        return schema


def _walked(schema: object, deeper: int) -> object:
    if not isinstance(schema, dict) or not deeper:
        return schema
    told: Json = {}
    for name, value in schema.items():
        if name in _MAPS and isinstance(value, dict):
            told[name] = {key: _walked(inner, deeper - 1) for key, inner in value.items()}
        elif name in _LISTS and isinstance(value, list):
            told[name] = [_walked(inner, deeper - 1) for inner in value]
        elif name in _SINGLES:
            told[name] = _walked(value, deeper - 1)
        else:
            told[name] = value
    return _closed(_unbound(told))


def _closed(schema: Json) -> Json:
    kind = schema.get("type")
    is_object = kind == "object" or (isinstance(kind, list) and "object" in kind)
    if is_object or "properties" in schema:
        schema["additionalProperties"] = False
    return schema


def _unbound(schema: Json) -> Json:
    """Tell the model of the bounds in words."""
    bounds = {name: schema.pop(name) for name in _BOUNDS if name in schema}
    if schema.get("minItems") not in (None, 0, 1):
        bounds["minItems"] = schema.pop("minItems")
    if bounds:
        words = ", ".join(f"{name}: {dumps(value).decode()}" for name, value in bounds.items())
        said = schema.get("description")
        schema["description"] = f"{said} ({words})" if isinstance(said, str) and said else words
    return schema
