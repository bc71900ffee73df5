"""Foreign seals: a relay's body stays as it is, but for what another vendor made."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.dialects.translation.foreign_seals import without_foreign_seals
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.neutral import Seal
from holdgate.core.values.seals import wrap

FOREIGN = wrap(Seal("other/gemini", "thought", "abc=="))
CALL = b'{"type":"tool_use","id":"t1","name":"f","input":{"n": 12345678901234567890, "x":1.5e2}}'


def messages(*blocks: bytes) -> bytes:
    content = b",".join(blocks)
    return (
        b'{ "model":"m", "messages":[{"role":"user","content":"hi"} , '
        b'{"role": "assistant","content":[' + content + b"]}], "
        b'"max_tokens" : 5}'
    )


def thinking(signature: str, words: str = "hm") -> bytes:
    block = {"type": "thinking", "thinking": words, "signature": signature}
    return json.dumps(block).encode()


def test_a_body_without_any_is_the_same_object() -> None:
    body = messages(thinking("native"), CALL)
    for dialect in DIALECT_NAMES:
        assert without_foreign_seals(dialect, body) is body


@pytest.mark.parametrize("signature", [FOREIGN, ""])
def test_thinking_that_the_vendor_did_not_sign_goes(signature: str) -> None:
    body = messages(thinking("native"), thinking(signature), CALL)
    assert json.loads(without_foreign_seals("messages", body)) == json.loads(
        messages(thinking("native"), CALL)
    )
    assert CALL in without_foreign_seals("messages", body)
    assert without_foreign_seals("messages", body).startswith(b'{ "model":"m", "messages":[')
    assert without_foreign_seals("messages", body).endswith(b'], "max_tokens" : 5}')


def test_redacted_thinking_goes_and_an_emptied_message_with_it() -> None:
    redacted = json.dumps({"type": "redacted_thinking", "data": FOREIGN}).encode()
    told = json.loads(without_foreign_seals("messages", messages(redacted)))
    assert told["messages"] == [{"role": "user", "content": "hi"}]


def test_words_about_signatures_stay() -> None:
    words = json.dumps({"type": "text", "text": 'so "signature":"" is ' + FOREIGN}).encode()
    body = messages(words)
    assert json.loads(without_foreign_seals("messages", body)) == json.loads(body)


def test_reasoning_items_go() -> None:
    own = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "native"}
    foreign = own | {"id": "rs_2", "encrypted_content": FOREIGN}
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    body: dict[str, Any] = {"model": "m", "input": [own, foreign, call]}
    told = json.loads(without_foreign_seals("responses", json.dumps(body).encode()))
    assert told == body | {"input": [own, call]}


def test_of_geminis_parts_only_the_signature_goes() -> None:
    call = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": FOREIGN}
    bare = {"text": "", "thoughtSignature": FOREIGN}
    own = {"text": "a", "thoughtSignature": "bmF0aXZl"}
    body = {"contents": [{"role": "model", "parts": [bare, own, call]}]}
    told = json.loads(without_foreign_seals("gemini", json.dumps(body).encode()))
    parts = [own, {"functionCall": {"name": "f", "args": {}}}]
    assert told == {"contents": [{"role": "model", "parts": parts}]}


def test_chats_slots_go() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    signed = call | {"extra_content": {"google": {"thought_signature": FOREIGN}}}
    details = [{"type": "reasoning.encrypted", "data": FOREIGN}]
    message = {"role": "assistant", "content": None, "tool_calls": [signed]}
    body = {"model": "m", "messages": [message | {"reasoning_details": details}]}
    told = json.loads(without_foreign_seals("chat", json.dumps(body).encode()))
    assert told["messages"] == [message | {"tool_calls": [call]}]


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@pytest.mark.parametrize("body", ["{}", "[]", "no", '{"messages": 3, "input": "x"}'])
def test_what_is_no_request_stays(dialect: DialectName, body: str) -> None:
    data = body.encode() + FOREIGN.encode()
    assert without_foreign_seals(dialect, data) == data
