"""The model's name replaced in place: the value changes, and not a byte beside it."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.wire.json_span import replace_model

TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.sampled_from(
        [
            "model",
            '"model"',
            '"model": "x"',
            '\\"model\\":"x"',
            "\\",
            '"',
            "{",
            "]",
            'say "model',
            "größer",
        ]
    ),
)
SCALARS = st.one_of(
    TEXTS, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False, allow_infinity=False)
)
KEYS = st.one_of(st.just("model"), TEXTS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
MEMBERS = st.dictionaries(TEXTS.filter(lambda key: key != "model"), VALUES, max_size=4)


def spelt(value: object, *, ascii: bool, wide: bool) -> str:
    return json.dumps(value, ensure_ascii=ascii, separators=(" ,\n", " : ") if wide else (",", ":"))


@settings(deadline=None, max_examples=200)
@given(
    before=MEMBERS,
    old=TEXTS,
    after=MEMBERS,
    key=st.sampled_from(['"model"', r'"mod\u0065l"', r'"\u006dodel"']),
    new=TEXTS,
    ascii=st.booleans(),
    wide=st.booleans(),
)
def test_only_the_models_span_changes(
    before: dict[str, Any],
    old: str,
    after: dict[str, Any],
    key: str,
    new: str,
    ascii: bool,
    wide: bool,
) -> None:
    def members(told: dict[str, Any]) -> list[str]:
        return [
            spelt(name, ascii=ascii, wide=wide) + " :" + spelt(value, ascii=ascii, wide=wide)
            for name, value in told.items()
        ]

    head = "{ " + ", ".join([*members(before), f"{key}: "])
    tail = ",".join(["", *members(after)]) + "\n}"
    body = (head + spelt(old, ascii=ascii, wide=wide) + tail).encode()
    changed = replace_model(body, new)

    if old == new:
        assert changed == body
        return
    assert changed == head.encode() + json.dumps(new, ensure_ascii=False).encode() + tail.encode()
    assert json.loads(changed) == {**json.loads(body), "model": new}


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        (b'{"model":"a"}', b'{"model":"N"}'),
        (b'{"model":"a","n":1}', b'{"model":"N","n":1}'),
        (b'{"n":1,"model":"a"}', b'{"n":1,"model":"N"}'),
        (b'{"x":{"model":"in"},"model":"a"}', b'{"x":{"model":"in"},"model":"N"}'),
        (b'{"model":"a","x":{"model":"in"}}', b'{"model":"N","x":{"model":"in"}}'),
        (
            b'{"x":{"model":"1"},"model":"a","y":[{"model":"2"}]}',
            b'{"x":{"model":"1"},"model":"N","y":[{"model":"2"}]}',
        ),
        (b'{"mod\\u0065l":"a","x":{"model":"in"}}', b'{"mod\\u0065l":"N","x":{"model":"in"}}'),
        (b'{"t":"\\"model\\":\\"x\\"","model":"a"}', b'{"t":"\\"model\\":\\"x\\"","model":"N"}'),
        (b'{"say \\"model":"x","model":"a"}', b'{"say \\"model":"x","model":"N"}'),
        (b'{"t":["model","x"],"model":"a"}', b'{"t":["model","x"],"model":"N"}'),
        (b'{"model":"a \\" \\\\","n":1}', b'{"model":"N","n":1}'),
        (
            b'{"seed":12345678901234567890123,"t":1.5e2,"z":-0.0,"model":"a","e":1E400}',
            b'{"seed":12345678901234567890123,"t":1.5e2,"z":-0.0,"model":"N","e":1E400}',
        ),
        (b' \n{\t"model"\n:\r"a" }\n', b' \n{\t"model"\n:\r"N" }\n'),
    ],
)
def test_bodies(body: bytes, changed: bytes) -> None:
    assert replace_model(body, "N") == changed


@pytest.mark.parametrize(
    "body",
    [
        b'{"x":{"model":"in"},"model":"N"}',
        b'{"x":[{"model":"in"}],"model":"N","y":{"model":"in"}}',
        b'{"say \\"model":"x","model":"N"}',
        b'{"model":"N","y":{"model":"in"}}',
    ],
)
def test_a_body_that_bears_the_name_already_stays(body: bytes) -> None:
    assert replace_model(body, "N") == body


@pytest.mark.parametrize(
    "body",
    [
        b'{"model":"a","model":"b"}',
        b'{"model":"a","mod\\u0065l":"b"}',
        b'{"mod\\u0065l":"a","x":{"model":"in"},"model":"b"}',
    ],
)
def test_of_duplicates_the_one_that_counts_is_changed(body: bytes) -> None:
    assert json.loads(replace_model(body, "N")) == {**json.loads(body), "model": "N"}


def test_a_large_body_costs_little() -> None:
    text = 'He said "model": "x" {' * 50_000
    tools = [{"name": "t", "parameters": {"model": "in"}}] * 5_000
    body = json.dumps({"messages": [text], "model": "a", "tools": tools}).encode()
    before = time.process_time()
    changed = replace_model(body, "N")
    assert time.process_time() - before < 2
    assert changed == body.replace(b'"model": "a"', b'"model": "N"')
