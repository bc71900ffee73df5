"""The peek: what is read of a request, and what is no request."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.dialects.base import Peek
from holdgate.core.dialects.reading import words_of
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.names import DIALECT_NAMES, DialectName

WITH_MODEL: tuple[DialectName, ...] = ("chat", "responses", "messages")
SPEECH: dict[DialectName, dict[str, Any]] = {
    "chat": {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "hi"}]},
    "responses": {
        "input": [{"role": "developer", "content": "d"}, {"role": "user", "content": "hi"}]
    },
    "messages": {"messages": [{"role": "user", "content": "hi"}]},
    "gemini": {"contents": [{"role": "model", "parts": []}, {"role": "user", "parts": "hi"}]},
}


def peek(dialect: DialectName, body: object) -> Peek:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return DIALECTS[dialect].peek(data)


def refusal(dialect: DialectName, body: object) -> Fault:
    with pytest.raises(Fault) as caught:
        peek(dialect, body)
    assert caught.value.kind is FaultKind.REQUEST
    return caught.value


@pytest.mark.parametrize("dialect", WITH_MODEL)
@pytest.mark.parametrize(
    ("stream", "streamed"), [({}, False), ({"stream": True}, True), ({"stream": None}, False)]
)
def test_model_and_stream(dialect: DialectName, stream: dict[str, Any], streamed: bool) -> None:
    found = peek(dialect, {**SPEECH[dialect], "model": "prövider/m", **stream})
    assert found == Peek("prövider/m", streamed, None, b'"hi"')


def test_of_gemini_both_are_in_the_path() -> None:
    body = {"model": "m", "stream": True, **SPEECH["gemini"]}
    assert peek("gemini", body) == Peek("", False, None, b'"hi"')


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_unknown_fields_are_no_matter(dialect: DialectName) -> None:
    body = {"model": "m", "x": [{"model": 1}], "temperature": "hot", "n": 10**30}
    assert peek(dialect, body).first_user == b""


@pytest.mark.parametrize("dialect", WITH_MODEL)
@pytest.mark.parametrize("wrong", [{}, {"model": None}, {"model": 5}, {"model": ["m"]}])
def test_no_model_is_no_request(dialect: DialectName, wrong: dict[str, Any]) -> None:
    assert "model" in refusal(dialect, {**SPEECH[dialect], **wrong}).message


@pytest.mark.parametrize("dialect", WITH_MODEL)
@pytest.mark.parametrize("wrong", ["yes", 1, [], {}])
def test_a_stream_that_is_neither(dialect: DialectName, wrong: object) -> None:
    assert "stream" in refusal(dialect, {"model": "m", "stream": wrong}).message


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"null",
        b"[]",
        b'"text"',
        b'[{"model":"m"}]',
        b'{"model":"m"',
        b'{"model":"m"} {}',
        b'{"model":"m"}x',
        b'{"model":"m",}',
        b"{'model':'m'}",
        b'{"model":"m","n":NaN}',
        b'{"model":"m","n":Infinity}',
        b'{"model":"m","n":01}',
        b'{"model":"m"}\x00',
        b"\xff\xfe{\x00}\x00",
        b"model=m&stream=true",
    ],
)
def test_what_is_not_exactly_one_object(dialect: DialectName, body: bytes) -> None:
    refusal(dialect, body)


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@pytest.mark.parametrize("place", ["x", "model", "messages", "input", "contents", "metadata"])
def test_deep_nesting_is_refused(dialect: DialectName, place: str) -> None:
    body = f'{{"model":"m","{place}":'.encode() + b"[" * 200_000 + b"]" * 200_000 + b"}"
    refusal(dialect, body)


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@settings(deadline=None)
@given(body=st.binary(max_size=60))
def test_bytes_are_a_request_or_a_fault(dialect: DialectName, body: bytes) -> None:
    try:
        peek(dialect, body)
    except Fault as fault:
        assert fault.kind is FaultKind.REQUEST


JSONS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "parts", "user_id"]), inner)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@settings(deadline=None)
@given(speech=JSONS, key=JSONS, user=JSONS)
def test_odd_shapes_of_what_is_optional_are_let_through(
    dialect: DialectName, speech: Any, key: Any, user: Any
) -> None:
    named = dict.fromkeys(("messages", "input", "contents"), speech)
    body = {**named, "model": "m", "prompt_cache_key": key, "metadata": {"user_id": user}}
    assert peek(dialect, body).model == ("" if dialect == "gemini" else "m")


@pytest.mark.parametrize("dialect", ["chat", "responses"])
@pytest.mark.parametrize(
    ("key", "session"),
    [
        (b'"01hxyz-7"', "01hxyz-7"),
        (b'"caf\xc3\xa9"', "café"),
        (b'"caf\\u00e9"', "café"),
        (b'"a\\"b"', 'a"b'),
        (b'"\\"quoted\\""', '"quoted"'),
        (b'""', None),
        (b"null", None),
    ],
)
def test_the_session_is_the_cache_key(
    dialect: DialectName, key: bytes, session: str | None
) -> None:
    assert peek(dialect, b'{"model":"m","prompt_cache_key": ' + key + b" }").session == session


@pytest.mark.parametrize("dialect", ["messages", "gemini"])
def test_others_have_no_cache_key(dialect: DialectName) -> None:
    assert peek(dialect, {"model": "m", "prompt_cache_key": "k"}).session is None


UUID = "6f7e1b1e-3f0a-4a53-9c57-0d0f2a6c1f11"


@pytest.mark.parametrize(
    ("user_id", "session"),
    [
        (f"user_0a1b_account__session_{UUID}", UUID),
        (f"user_0a_account_6f7e_session_x_session_{UUID}", UUID),
        (json.dumps({"device_id": "d", "account_uuid": "", "session_id": UUID}), UUID),
        (json.dumps({"device_id": "a_session_b", "session_id": UUID}, indent=1), UUID),
        (json.dumps({"device_id": "d"}), None),
        (json.dumps({"session_id": 5}), None),
        ("somebody", None),
        ("", None),
        (None, None),
        (7, None),
        ({"session_id": UUID}, None),
        ([UUID], None),
    ],
)
def test_the_session_of_messages_is_in_the_user(user_id: object, session: str | None) -> None:
    assert peek("messages", {"model": "m", "metadata": {"user_id": user_id}}).session == session


@pytest.mark.parametrize("metadata", [None, {}, {"trace": 1}])
def test_metadata_without_a_user(metadata: object) -> None:
    assert peek("messages", {"model": "m", "metadata": metadata}).session is None


@pytest.mark.parametrize(
    ("dialect", "body", "first"),
    [
        ("responses", {"input": "ping"}, b'"ping"'),
        (
            "responses",
            {"input": [{"type": "function_call"}, {"role": "user", "content": [{"text": "a"}]}]},
            b'[{"text": "a"}]',
        ),
        (
            "messages",
            {"messages": [{"role": "assistant", "content": "b"}, {"role": "user", "content": []}]},
            b"[]",
        ),
        ("chat", {"messages": [{"role": "system", "content": "s"}]}, b""),
        ("chat", {"messages": []}, b""),
        ("gemini", {"contents": [{"parts": [{"text": "a"}]}]}, b'[{"text": "a"}]'),
        ("gemini", {"contents": [{"role": "model", "parts": []}]}, b""),
    ],
)
def test_the_first_words_of_the_user(
    dialect: DialectName, body: dict[str, Any], first: bytes
) -> None:
    assert peek(dialect, {"model": "m", **body}).first_user == first


@pytest.mark.parametrize(
    "content",
    [
        "a\nb",
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        [{"text": "a"}, {"text": "b", "cache_control": {"type": "ephemeral"}}],
    ],
)
def test_the_same_words_are_the_same_conversation(content: object) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": content}]}
    assert words_of(peek("messages", body).first_user) == b"a\nb"


@pytest.mark.parametrize(
    "odd", [b"", b"{", b"7", b'[{"image":1}]', b'[{"text":7}]', b'["a"]', b'"\\ud800"', b"[]"]
)
def test_content_without_words_is_taken_as_it_is(odd: bytes) -> None:
    assert words_of(odd) == odd


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_its_own_tiny_request_is_one(dialect: DialectName) -> None:
    found = peek(dialect, DIALECTS[dialect].tiny_request("m"))
    assert found.model == ("" if dialect == "gemini" else "m")
    assert not found.stream
    assert b"ping" in found.first_user
