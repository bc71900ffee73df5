"""The dialect as a whole, and what is odd in requests and replies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.dialects.translation.base import Target, Telling
from holdgate.core.dialects.translation.chat.braces import Braces
from holdgate.core.dialects.translation.chat.quirks import Quirks, quirks_of
from holdgate.core.dialects.translation.chat.schemas import EMPTY, acceptable
from holdgate.core.dialects.translation.chat.translator import ChatTranslator
from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import (
    Document,
    Image,
    Message,
    Part,
    Refusal,
    Request,
    Result,
    Text,
)
from holdgate.core.values.neutral_reply import Answer, Ended, RefusalDelta, TextDelta

TARGET = Target("v", "chat", "m")
USER = {"role": "user", "content": "hi"}


def read(*messages: Any, **more: Any) -> Request:
    body = json.dumps({"messages": messages, **more}).encode()
    return ChatTranslator().read_request(body, "m", "whole")


def told(*parts: Part) -> list[Any]:
    request = Request("messages", "m", (Message("user", parts),))
    found = ChatTranslator().write_request(request, TARGET)
    messages: list[Any] = json.loads(found.body)["messages"]
    return messages


def test_a_conversation_survives_the_way_through() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "system", "content": "S"},
        USER,
        {"role": "assistant", "content": "look", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "A"},
        {"role": "assistant", "content": "done"},
        USER,
    ]
    found = ChatTranslator().write_request(read(*messages, temperature=0.5), TARGET)
    assert json.loads(found.body)["messages"] == messages
    assert json.loads(found.body)["temperature"] == 0.5
    assert found.losses == ()


def test_an_answer_survives_the_way_through() -> None:
    answer = Answer((Text("a"),), "length", id="x", model="y")
    telling = Telling("abc", "m", 5, "whole", read(USER))
    chat = ChatTranslator()
    assert collect(chat.reply_reader(TARGET).whole(chat.write_answer(answer, telling))).parts == (
        Text("a"),
    )
    data = chat.reply_writer(telling).tell([TextDelta("a"), Ended("length")])
    assert collect(chat.reply_reader(TARGET).feed(data)).why == "length"


@pytest.mark.parametrize(
    ("message", "lost"),
    [
        (
            {"role": "assistant", "content": [{"type": "image_url", "image_url": {"url": "u"}}]},
            False,
        ),
        ({"role": "assistant", "content": "a", "audio": {"id": "x"}}, False),
        (
            {
                "role": "tool",
                "tool_call_id": "a",
                "content": [{"type": "input_audio", "input_audio": {"data": "AAAA"}}],
            },
            True,
        ),
        ({"role": "user", "content": [{"type": "file", "file": {}}]}, True),
    ],
)
def test_what_no_other_dialect_can_say(message: Any, lost: bool) -> None:
    assert [loss.grave for loss in read(message).losses] == [lost]


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ({"role": "assistant", "tool_calls": {}}, "tool_calls"),
        ({"role": "assistant", "tool_calls": [1]}, "tool_calls[0]"),
        ({"role": "assistant", "tool_calls": [{"id": "a"}]}, "tool_calls[0].function.name"),
        ({"role": "assistant", "tool_calls": [{"type": "custom"}]}, "tool_calls[0].custom.name"),
        ({"role": "user", "content": [5]}, "content[0]"),
        ({"role": "user", "content": [{"type": "image_url"}]}, "content[0].image_url"),
        ({"role": "user", "content": [{"type": "input_audio"}]}, "content[0].input_audio.data"),
    ],
)
def test_what_is_wrong_in_a_message_is_told_with_its_path(message: Any, says: str) -> None:
    with pytest.raises(Fault) as caught:
        read(message)
    assert caught.value.kind is FaultKind.REQUEST
    assert caught.value.message.startswith(f"messages[0].{says}")


def test_texts_in_odd_places() -> None:
    result = {"role": "tool", "tool_call_id": "a", "content": [{"type": "refusal", "refusal": "r"}]}
    assert read(result).messages[0].parts == (Result("a", (Text("r"),)),)
    assert read({"role": "user", "content": ["a"]}).messages[0].parts == (Text("a"),)
    assert read({"role": "assistant", "refusal": "no"}).messages[0].parts == (Refusal("no"),)
    bare = {"type": "file", "file": {"file_data": "JVBERi0=", "filename": "a.pdf"}}
    assert read({"role": "user", "content": [bare]}).messages[0].parts == (
        Document(media_type="application/pdf", data="JVBERi0=", name="a.pdf"),
    )


def test_documents_that_are_something_else() -> None:
    image = told(Document(media_type="image/png", data="AAAA"))[0]["content"][0]
    assert image["image_url"]["url"] == "data:image/png;base64,AAAA"
    broken = told(Document(media_type="text/plain", data="/w==", name="x"))[0]["content"][0]
    assert broken["file"]["filename"] == "x"
    assert told(Refusal("no"))[0]["content"] == "no"
    assert told(Text("a "), Text("b"))[0]["content"] == "a b"
    assert told(Image(data="AAAA"))[0]["content"][0]["image_url"]["url"].startswith("data:image/")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (b"", EMPTY),
        (b"{}", EMPTY),
        (b"[]", EMPTY),
        (b'{"$ref":"#/x"}', b'{"$ref":"#/x"}'),
        (b'{"type":"object","anyOf":5}', b'{"anyOf":5,"type":"object"}'),
        (b'{"type":"object","items":5,"oneOf":5}', b'{"type":"object","items":5,"oneOf":5}'),
        (b'{"type":"object","properties":5}', b'{"type":"object","properties":5}'),
    ],
)
def test_odd_schemas(schema: bytes, expected: bytes) -> None:
    assert json.loads(acceptable(schema, "moonshot")) == json.loads(expected)
    assert json.loads(acceptable(schema, "")) == json.loads(expected)


def test_quirks_that_no_catalogue_has() -> None:
    assert quirks_of(Target("v", "chat", "m", frozenset({"max_stops=x", "other"}))) == Quirks()
    assert quirks_of(Target("v", "chat", "gpt-5-chat", frozenset({"openai"}))).reasons is False


@pytest.mark.parametrize(
    ("pieces", "closed"),
    [
        (["{}"], True),
        (['{"a":"', "\\", '"}', '"}'], True),
        (['{"a":"\\', "\\", '"}'], True),
        (['{"a":{'], False),
        (['{"a":"}'], False),
        (["null"], False),
        (["[1]"], False),
    ],
)
def test_braces(pieces: list[str], closed: bool) -> None:
    braces = Braces()
    for piece in pieces:
        braces.feed(piece)
    assert braces.are_closed is closed


def test_a_refusal_that_ends_in_half_a_character() -> None:
    reader = ChatTranslator().reply_reader(TARGET)
    data = rb'data: {"choices":[{"delta":{"refusal":"a\ud83d"},"finish_reason":"stop"}]}'
    found = reader.feed(data + b"\n\n") + reader.close()
    assert [e.text for e in found if isinstance(e, RefusalDelta)] == ["a", "\ufffd"]
