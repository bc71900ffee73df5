"""Schemas for Gemini: JSON Schema cut down to the members that its `Schema` has.

Theory. One member that Google's parser does not know fails the whole request, so only known ones
are written, each where its type allows it: references are put in place (a recursive one becomes
any object), `allOf` is merged, `oneOf` becomes `anyOf`, null becomes `nullable`. Beside `anyOf`
Google allows nothing else, so what stands there goes into each of its branches. A constraint that
gets lost is told; annotations and formats that Google does not know are dropped without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeGuard

from holdgate.core.dialects.translation.gemini.schema_parts import (
    CONSTRAINTS,
    Resolver,
    bounded,
    choices,
    constrains,
    is_count,
    kinds_of,
    merged,
)
from holdgate.core.dialects.translation.json_texts import dumps, loads
from holdgate.core.values.neutral import Loss

_Json = dict[str, Any]
_FORMATS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "string": frozenset({"enum", "date-time"}),
        "integer": frozenset({"int32", "int64"}),
        "number": frozenset({"float", "double"}),
    }
)
_COUNTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "string": ("minLength", "maxLength"),
        "array": ("minItems", "maxItems"),
        "object": ("minProperties", "maxProperties"),
    }
)
_ANYTHING = ("string", "number", "boolean", "object", "array")
_DEEPEST = 40
# A schema that refers to itself often grows without end when it is put in place.
_MOST_NODES = 4000


def write_schema(text: bytes, path: str) -> tuple[_Json | None, tuple[Loss, ...]]:
    """Give the `parameters` of a function, None for a function without any."""
    if not text.strip():
        return None, ()
    try:
        root = loads(text)
    except ValueError:
        return None, (Loss(path, "the schema is no JSON"),)
    if not isinstance(root, dict):
        return None, ()
    writer = _Writer(root, path)
    told = writer.told(root, path, 0)
    if "anyOf" in told or told.get("type") != "OBJECT":
        told = writer.told(_only_object(root), path, 0)
    return (told if told.get("properties") else None), tuple(writer.losses)


def _only_object(root: _Json) -> _Json:
    """Give the part of a schema that says an object: arguments are nothing else."""
    kept = {name: inner for name, inner in root.items() if name not in ("anyOf", "oneOf", "enum")}
    return kept | {"type": "object"}


class _Writer:
    """Writes one schema and notes what is lost."""

    def __init__(self, root: _Json, path: str) -> None:
        self.losses: list[Loss] = []
        self._resolve = Resolver(root)
        self._nodes = 0

    def told(self, schema: object, path: str, depth: int) -> _Json:
        """Give the schema at `path` in Google's words."""
        self._nodes += 1
        if depth > _DEEPEST or self._nodes > _MOST_NODES:
            self._lose(path, "nested too deeply, told as any object")
            return {"type": "OBJECT"}
        if not isinstance(schema, dict):
            return self._any({}, path, depth)
        found, is_recursive = self._resolve.enter(schema)
        try:
            if is_recursive:
                self._lose(path, "a recursive schema, told as any object")
                return _described({"type": "OBJECT"}, found)
            return self._resolved(merged(found, self._resolve.target), path, depth)
        finally:
            self._resolve.leave(schema)

    def _resolved(self, schema: _Json, path: str, depth: int) -> _Json:
        for name in CONSTRAINTS & schema.keys():
            if constrains(name, schema[name]):
                self._lose(f"{path}.{name}", "Gemini's schemas cannot say it")
        branches = self._branches(schema, path)
        if branches is not None:
            return self._any_of(schema, branches, path, depth)
        kinds, nullable = kinds_of(schema)
        if len(kinds) > 1:
            parts = [schema | {"type": kind} for kind in kinds]
            told = {"anyOf": [self._one(part, part["type"], path, depth) for part in parts]}
            return _nullable(told) if nullable else told
        if not kinds:
            return {"type": "NULL"} if nullable else self._any(schema, path, depth)
        told = self._one(schema, kinds[0], path, depth)
        return _nullable(told) if nullable else told

    def _branches(self, schema: _Json, path: str) -> list[Any] | None:
        """Give the alternatives that say more than which properties must be there."""
        branches = schema.get("anyOf", schema.get("oneOf"))
        if not isinstance(branches, list) or not branches:
            return None
        says_type = "type" in schema or "properties" in schema
        if says_type and all(isinstance(b, dict) and b.keys() <= {"required"} for b in branches):
            self._lose(f"{path}.anyOf", "Gemini's schemas cannot say it")
            return None
        return branches

    def _any_of(self, schema: _Json, branches: list[Any], path: str, depth: int) -> _Json:
        base = {name: inner for name, inner in schema.items() if name not in ("anyOf", "oneOf")}
        found: list[_Json] = []
        nullable = base.pop("nullable", None) is True
        for at, branch in enumerate(branches):
            inner = branch if isinstance(branch, dict) else {}
            if inner.get("type") == "null" or inner.get("enum") == [None]:
                nullable = True
                continue
            one = self.told(
                {"allOf": [base, inner]} if base else inner, f"{path}.anyOf[{at}]", depth + 1
            )
            found += one["anyOf"] if one.keys() == {"anyOf"} else [one]
        if not found:
            return {"type": "NULL"}
        told = found[0] if len(found) == 1 else {"anyOf": found}
        return _nullable(told) if nullable else told

    def _one(self, schema: _Json, kind: str, path: str, depth: int) -> _Json:
        """Give a schema of one type."""
        told: _Json = _described({"type": kind.upper()}, schema)
        form = schema.get("format")
        if isinstance(form, str) and form in _FORMATS.get(kind, ()):
            told["format"] = form
        for name in _COUNTS.get(kind, ()):
            if is_count(schema.get(name)):
                told[name] = schema[name]
        return self._own[kind](self, told, schema, path, depth) if kind in self._own else told

    def _string(self, told: _Json, schema: _Json, path: str, depth: int) -> _Json:
        if isinstance(schema.get("pattern"), str):
            told["pattern"] = schema["pattern"]
        return self._chosen(told, schema, path)

    def _number(self, told: _Json, schema: _Json, path: str, depth: int) -> _Json:
        bounds, is_exact = bounded(schema, told["type"] == "INTEGER")
        if not is_exact:
            self._lose(path, "an exclusive bound, told as an inclusive one")
        return self._chosen(told | bounds, schema, path)

    def _chosen(self, told: _Json, schema: _Json, path: str, depth: int = 0) -> _Json:
        """Add the allowed values: Google takes texts only, others are told in the description."""
        values = choices(schema, told["type"].lower())
        if values is None:
            return told
        if told["type"] == "STRING" and all(values):
            return told | {"enum": values}
        self._lose(f"{path}.enum", "Gemini takes texts only, told in the description")
        words = "One of: " + ", ".join(dumps(one).decode() for one in values)
        before = told.get("description")
        return told | {"description": f"{before}\n{words}" if before else words}

    def _array(self, told: _Json, schema: _Json, path: str, depth: int) -> _Json:
        items = schema.get("items")
        tuple_of = schema.get("prefixItems", items if isinstance(items, list) else None)
        if isinstance(tuple_of, list) and tuple_of:
            self._lose(path, "the order of a tuple's types")
            items = tuple_of[0] if len(tuple_of) == 1 else {"anyOf": tuple_of}
        told["items"] = self.told(
            items if isinstance(items, dict) else {}, f"{path}.items", depth + 1
        )
        return told

    def _object(self, told: _Json, schema: _Json, path: str, depth: int) -> _Json:
        properties = schema.get("properties")
        if isinstance(schema.get("additionalProperties"), dict) and schema["additionalProperties"]:
            self._lose(f"{path}.additionalProperties", "Gemini's schemas cannot say it")
        if not isinstance(properties, dict):
            return told
        found = {
            name: self.told(inner, f"{path}.{name}", depth + 1)
            for name, inner in properties.items()
            if inner is not False
        }
        if not found:
            return told
        told["properties"] = found
        for name in ("required", "propertyOrdering"):
            listed = schema.get(name)
            kept = [one for one in listed if one in found] if _is_texts(listed) else []
            if kept:
                told[name] = list(dict.fromkeys(kept))
        return told

    def _any(self, schema: _Json, path: str, depth: int) -> _Json:
        """Give a schema that allows any value."""
        if depth > _DEEPEST // 2:
            return _described({"type": "STRING"}, schema)
        kinds = [_described({"type": kind.upper()}, schema) for kind in _ANYTHING]
        kinds[-1]["items"] = {"type": "STRING"}
        return {"anyOf": kinds}

    def _lose(self, path: str, why: str) -> None:
        loss = Loss(path, why)
        if loss not in self.losses and len(self.losses) < 50:
            self.losses.append(loss)

    _own: Mapping[str, Callable[[_Writer, _Json, _Json, str, int], _Json]] = MappingProxyType(
        {
            "string": _string,
            "integer": _number,
            "number": _number,
            "boolean": _chosen,
            "array": _array,
            "object": _object,
        }
    )


def _is_texts(found: object) -> TypeGuard[list[str]]:
    return isinstance(found, list) and all(isinstance(one, str) for one in found)


def _described(told: _Json, schema: _Json) -> _Json:
    for name in ("title", "description"):
        if isinstance(schema.get(name), str) and schema[name]:
            told[name] = schema[name]
    return told


def _nullable(told: _Json) -> _Json:
    if told.keys() == {"anyOf"}:
        first, *others = told["anyOf"]
        return {"anyOf": [first | {"nullable": True}, *others]}
    return told | {"nullable": True}
