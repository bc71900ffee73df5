from __future__ import annotations

import json
from typing import Any

import pytest
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from holdgate.core.dialects.translation.gemini.schema_reader import read_schema
from holdgate.core.dialects.translation.gemini.schema_writer import write_schema
from holdgate.core.values.neutral import Loss

Json = dict[str, Any]
# Names that are keywords, too.
KEYWORDS = (
    "type",
    "format",
    "nullable",
    "items",
    "properties",
    "required",
    "enum",
    "$ref",
    "anyOf",
    "default",
    "additionalProperties",
    "const",
    "description",
    "title",
)
_ALLOWED = {
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "properties",
    "required",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "pattern",
    "anyOf",
    "propertyOrdering",
}


def write(schema: object) -> tuple[Json | None, tuple[Loss, ...]]:
    return write_schema(json.dumps(schema).encode(), "schema")


def one(schema: object) -> Json:
    """Give what a property of this schema is told as."""
    told, _ = write({"type": "object", "properties": {"it": schema}})
    assert told is not None
    check(told)
    found = told["properties"]["it"]
    assert isinstance(found, dict)
    return found


def check(told: Json) -> None:
    """Check that a schema says nothing that Google does not know."""
    types.Schema.model_validate(told)
    _check(told)


def _check(told: Json) -> None:
    assert told.keys() <= _ALLOWED
    if "anyOf" in told:
        assert told.keys() == {"anyOf"}
        assert len(told["anyOf"]) > 1
        for inner in told["anyOf"]:
            _check(inner)
        return
    assert told["type"] in ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
    if "enum" in told:
        assert told["type"] == "STRING"
        assert all(isinstance(value, str) and value for value in told["enum"])
    if told["type"] == "ARRAY":
        _check(told["items"])
    for inner in told.get("properties", {}).values():
        _check(inner)
    assert set(told.get("required", [])) <= set(told.get("properties", {}))


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "string"}, {"type": "STRING"}),
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"type": "INTEGER", "nullable": True}),
        (
            {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]},
        ),
        (
            {"type": ["string", "integer", "null"]},
            {"anyOf": [{"type": "STRING", "nullable": True}, {"type": "INTEGER"}]},
        ),
        ({"const": "a"}, {"type": "STRING", "enum": ["a"]}),
        ({"enum": ["a", "b", None]}, {"type": "STRING", "enum": ["a", "b"], "nullable": True}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "INTEGER", "description": "One of: 1, 2"}),
        (
            {"const": True, "description": "Yes."},
            {"type": "BOOLEAN", "description": "Yes.\nOne of: true"},
        ),
        ({"type": "string", "format": "uri", "default": "x"}, {"type": "STRING"}),
        (
            {"type": "string", "format": "date-time", "pattern": "^a"},
            {"type": "STRING", "format": "date-time", "pattern": "^a"},
        ),
        (
            {"type": "integer", "format": "int64", "exclusiveMinimum": 0},
            {"type": "INTEGER", "format": "int64", "minimum": 1},
        ),
        (
            {"type": "integer", "minimum": 5, "exclusiveMinimum": True},
            {"type": "INTEGER", "minimum": 6},
        ),
        ({"type": "number", "exclusiveMaximum": 1.5}, {"type": "NUMBER", "maximum": 1.5}),
        (
            {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "minItems": 1},
            {"type": "ARRAY", "items": {"type": "STRING"}, "minItems": 1},
        ),
        ({"items": {"type": "string"}}, {"type": "ARRAY", "items": {"type": "STRING"}}),
        (
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            {"type": "ARRAY", "items": {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}},
        ),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"type": "OBJECT"}),
        ({"type": "object", "properties": {}}, {"type": "OBJECT"}),
        (
            {
                "allOf": [
                    {"type": "object", "properties": {"a": {"type": "string"}}},
                    {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
                ]
            },
            {
                "type": "OBJECT",
                "properties": {"a": {"type": "STRING"}, "b": {"type": "INTEGER"}},
                "required": ["b"],
            },
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
                "required": ["gone"],
            },
            {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}},
        ),
        (
            {"description": "D", "anyOf": [{"type": "string"}, {"type": "integer", "title": "T"}]},
            {
                "anyOf": [
                    {"type": "STRING", "description": "D"},
                    {"type": "INTEGER", "title": "T", "description": "D"},
                ]
            },
        ),
        ({"type": "null"}, {"type": "NULL"}),
    ],
)
def test_schemas(schema: Json, told: Json) -> None:
    assert one(schema) == told


def test_anything() -> None:
    for schema in ({}, True, {"description": "Any."}):
        assert len(one(schema)["anyOf"]) == 5


def test_references_are_put_in_place() -> None:
    told, losses = write(
        {
            "type": "object",
            "properties": {
                "a": {"$ref": "#/$defs/Pet", "description": "Mine."},
                "b": {"$ref": "#/$defs/Pet"},
            },
            "$defs": {"Pet": {"type": "object", "properties": {"name": {"type": "string"}}}},
        }
    )
    pet = {"type": "OBJECT", "properties": {"name": {"type": "STRING"}}}
    assert told == {"type": "OBJECT", "properties": {"a": pet | {"description": "Mine."}, "b": pet}}
    assert not losses


def test_a_root_that_is_a_reference() -> None:
    told, _ = write(
        {"$ref": "#/definitions/A", "definitions": {"A": {"properties": {"x": {"type": "string"}}}}}
    )
    assert told == {"type": "OBJECT", "properties": {"x": {"type": "STRING"}}}


def test_a_recursive_schema_ends() -> None:
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/N"}, "v": {"type": "string"}},
    }
    told, losses = write({"properties": {"n": {"$ref": "#/$defs/N"}}, "$defs": {"N": node}})
    assert told is not None
    check(told)
    assert told["properties"]["n"]["properties"]["next"] == {"type": "OBJECT"}
    assert [loss.grave for loss in losses] == [False]
    told, losses = write({"type": "object", "properties": {"me": {"$ref": "#"}}})
    assert told is not None
    check(told)


def test_a_schema_that_doubles_ends() -> None:
    defs = {
        f"D{n}": {"properties": {k: {"$ref": f"#/$defs/D{n + 1}"} for k in "ab"}} for n in range(30)
    }
    told, losses = write({"properties": {"x": {"$ref": "#/$defs/D0"}}, "$defs": defs})
    assert told is not None
    check(told)
    assert losses


def test_properties_named_like_keywords_stay() -> None:
    properties: Json = {name: {"type": "string"} for name in KEYWORDS}
    told, losses = write({"type": "object", "properties": properties, "required": list(KEYWORDS)})
    assert told is not None
    assert list(told["properties"]) == list(KEYWORDS)
    assert told["required"] == list(KEYWORDS)
    assert not losses


def test_functions_without_parameters_have_no_schema() -> None:
    for schema in ({}, {"type": "object"}, {"type": "object", "properties": {}}):
        assert write(schema) == (None, ())
    assert write_schema(b"", "schema") == (None, ())
    assert write_schema(b"{", "schema")[0] is None


def test_only_constraints_are_losses() -> None:
    _, losses = write(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$id": "x",
            "title": "T",
            "examples": [1],
            "additionalProperties": False,
            "propertyNames": {"pattern": "^x"},
            "properties": {
                "a": {"type": "string", "format": "uri", "default": "x"},
                "b": {"type": "array", "items": {}, "uniqueItems": True},
                "c": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        }
    )
    assert {loss.path for loss in losses} == {
        "schema.propertyNames",
        "schema.b.uniqueItems",
        "schema.c.additionalProperties",
    }
    assert not any(loss.grave for loss in losses)


def test_a_constraint_that_forbids_nothing_is_none() -> None:
    record = {"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": {}}
    listed = {"type": "array", "items": {"type": "string"}, "uniqueItems": False}
    _, losses = write({"type": "object", "properties": {"a": record, "b": listed}})
    assert not losses


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=3)
    | st.sampled_from(["string", "object", "null", "array", "#", "#/$defs/a", "#/properties/a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *KEYWORDS,
                    "allOf",
                    "oneOf",
                    "$defs",
                    "a",
                    "prefixItems",
                    "minItems",
                    "exclusiveMinimum",
                    "minimum",
                    "not",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@given(
    st.dictionaries(
        st.sampled_from(["type", "properties", "anyOf", "$defs", "allOf", "$ref"]), _VALUES
    )
)
def test_whatever_is_written_is_known_to_google(schema: Json) -> None:
    told, _ = write(schema)
    if told is not None:
        check(told)


def openapi(schema: object) -> object:
    return json.loads(read_schema(Raw(json.dumps(schema).encode()), "parameters"))


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "STRING", "nullable": True}, {"type": ["string", "null"]}),
        (
            {
                "type": "OBJECT",
                "properties": {"type": {"type": "STRING"}, "nullable": {"type": "BOOLEAN"}},
                "propertyOrdering": ["type"],
                "required": ["nullable"],
            },
            {
                "type": "object",
                "properties": {"type": {"type": "string"}, "nullable": {"type": "boolean"}},
                "required": ["nullable"],
            },
        ),
        (
            {"type": "ARRAY", "items": {"type": "INTEGER"}, "minItems": "2", "max_items": 3},
            {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3},
        ),
        (
            {"type": "INTEGER", "format": "enum", "enum": ["101", "201"]},
            {"type": "integer", "enum": [101, 201]},
        ),
        (
            {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}], "nullable": True},
            {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]},
        ),
        (
            {
                "type": "OBJECT",
                "properties": {"p": {"ref": "#/defs/P"}},
                "defs": {"P": {"type": "STRING"}},
            },
            {
                "type": "object",
                "properties": {"p": {"$ref": "#/$defs/P"}},
                "$defs": {"P": {"type": "string"}},
            },
        ),
        ({"type": "TYPE_UNSPECIFIED", "example": 1}, {"examples": [1]}),
        (
            {"type": "NUMBER", "enum": ["1.5", "x", 2], "nullable": True},
            {"type": ["number", "null"], "enum": [1.5, "x", 2, None]},
        ),
        (
            {"any_of": [{"type": "STRING"}], "additionalProperties": False},
            {"anyOf": [{"type": "string"}], "additionalProperties": False},
        ),
    ],
)
def test_openapi_becomes_json_schema(schema: Json, told: Json) -> None:
    assert openapi(schema) == told


def test_json_schema_stays_as_it_was_written() -> None:
    text = b'{ "type":"object", "properties":{"x":{"type":"number","default":1.50e2}} }'
    assert read_schema(Raw(text), "parameters") == text


def test_there_and_back() -> None:
    schema: Json = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "enum": ["x", "y"], "description": "A"},
            "b": {"type": "array", "items": {"type": "integer", "minimum": 1}},
            "c": {"type": ["number", "null"]},
        },
        "required": ["a"],
    }
    told, losses = write(schema)
    assert not losses
    assert openapi(told) == schema
