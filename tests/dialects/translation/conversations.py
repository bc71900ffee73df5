"""Requests and replies in the neutral form, for tests that ask how a dialect tells them.

REQUESTS holds one sample of each kind, REPLIES whole replies as events; `turns` gives the growing
conversation of an agent, one request a turn.
"""

from __future__ import annotations

from typing import Any

import msgspec

from holdgate.core.values.names import DialectName
from holdgate.core.values.neutral import (
    Audio,
    CacheMark,
    Call,
    Choice,
    Custom,
    Document,
    Effort,
    Format,
    Function,
    Hosted,
    Image,
    Message,
    Namespace,
    Part,
    Reasoning,
    Refusal,
    Request,
    Result,
    Role,
    Sampling,
    Seal,
    Text,
    Tool,
)
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    RefusalDelta,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.usage import Usage

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q"
    "DwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PAPER = "JVBERi0xLjQKJSVFT0YK"
STRANGE = 'quotes " and \\ back\u2028line\u2029\x85 tab\t é 漢 😀 \x7f </script> %s {}'
BIG = '{"offset":12345678901234567890123,"ratio":1.5e2,"zulu":1,"alpha":{"nested":[1,null,true]}}'
SCHEMA = (
    b'{"type":"object","properties":{"path":{"type":"string"},"type":{"type":"integer"}},'
    b'"required":["path"],"additionalProperties":false}'
)
LARK = b'{"type":"grammar","syntax":"lark","definition":"start: \\"*** Begin Patch\\" LF"}'

READ = Function("read_file", "Reads a file.", SCHEMA)
LIST = Function("list_files", "Lists a folder.", b'{"type":"object","properties":{}}')
STRICT = Function("write_file", "Writes a file.", SCHEMA, strict=True, cache=CacheMark())
BARE = Function("now")
LONG_NAME = Function("mcp__a_server_with_a_long_name__" + "and_a_tool_" * 5, "Long.", SCHEMA)
DOTTED = Function("files.read", "A name that some vendors refuse.", SCHEMA)
PATCH = Custom("apply_patch", "Edits files.", LARK)
NOTE = Custom("note", "Takes any text.")
CALENDAR = Namespace("calendar", (Function("read_file", "Of the calendar.", SCHEMA), NOTE), "Days.")
SEARCH = Hosted("web_search", b'{"type":"web_search"}')

SIGNED = Seal("anthropic/messages", "signature", "c2lnbmVk")
REDACTED = Seal("anthropic/messages", "redacted", "cmVkYWN0ZWQ=")
ENCRYPTED = Seal("openai/responses", "encrypted", "gAAAAABo", "rs_1")
THOUGHT = Seal("google/gemini", "thought", "dGhvdWdodA==")
SEALS = (SIGNED, REDACTED, ENCRYPTED, THOUGHT)


def said(role: Role, *parts: Part | str, name: str = "") -> Message:
    """Give a message; a str is its text."""
    told = (Text(part) if isinstance(part, str) else part for part in parts)
    return Message(role, tuple(told), name)


def user(*parts: Part | str) -> Message:
    return said("user", *parts)


def assistant(*parts: Part | str) -> Message:
    return said("assistant", *parts)


def call(id: str, name: str = "read_file", arguments: str = '{"path":"a"}', **rest: Any) -> Call:
    return Call(id, name, arguments, **rest)


def result(id: str, *parts: Text | Image | Document | str, **rest: Any) -> Result:
    told = (Text(part) if isinstance(part, str) else part for part in parts)
    return Result(id, tuple(told), **rest)


def request(*messages: Message, dialect: DialectName = "chat", **rest: Any) -> Request:
    return Request(dialect, "model-asked-for", messages, **rest)


def of(dialect: DialectName, request: Request) -> Request:
    """Give `request` as if an agent of `dialect` had sent it."""
    return msgspec.structs.replace(request, dialect=dialect)


PARALLEL = (
    user("Read both."),
    assistant("I shall.", call("call_1"), call("call_2", "list_files", "{}")),
    user(result("call_1", "one", name="read_file"), result("call_2", "two", name="list_files")),
)
CUSTOM_TURN = (
    user("Patch it."),
    assistant(call("call_p", "apply_patch", '*** Begin Patch\n+"é"\\n\n', custom=True)),
    user(result("call_p", "Done.", name="apply_patch", custom=True)),
)
NAMESPACE_TURN = (
    user("What is today?"),
    assistant(call("call_n", "read_file", "{}", namespace="calendar")),
    user(result("call_n", "Monday.", name="read_file")),
)

REQUESTS: dict[str, Request] = {
    "hello": request(user("Hello")),
    "system": request(said("system", "Be brief."), said("developer", "In French."), user("Hello")),
    "system_in_the_middle": request(
        user("Hello"), assistant("Hi"), said("system", "Now be brief."), user("Go on")
    ),
    "talk": request(user("Hello"), assistant("Hi"), user("How are you?"), assistant("Well, ")),
    "unicode": request(said("system", STRANGE), user(STRANGE), assistant(STRANGE), user(STRANGE)),
    "two_texts": request(user("One.", "Two."), assistant("Three.", "Four."), user("Five.")),
    "image": request(user("What is it?", Image("image/png", data=PIXEL, detail="high"))),
    "image_by_url": request(user(Image(url="https://example.org/a.png"), "What is it?")),
    "image_by_file": request(user(Image(file_id="file-1"), "What is it?")),
    "document": request(user(Document("application/pdf", data=PAPER, name="a.pdf"), "Sum it up.")),
    "document_as_text": request(user(Document("text/plain", text="Words.", name="a.txt"), "Read.")),
    "document_by_url": request(user(Document(url="https://example.org/a.pdf"), "Read.")),
    "audio": request(user(Audio("UklGRg==", "wav"), "What is said?")),
    "tools": request(user("Hello"), tools=(READ, LIST, STRICT, BARE, LONG_NAME, DOTTED)),
    "custom_tool": request(*CUSTOM_TURN, tools=(PATCH, NOTE)),
    "namespace": request(*NAMESPACE_TURN, tools=(READ, CALENDAR)),
    "hosted": request(user("Search."), tools=(READ, SEARCH)),
    "one_call": request(user("Read."), assistant(call("call_1")), user(result("call_1", "text"))),
    "parallel_calls": request(*PARALLEL, tools=(READ, LIST), parallel=True),
    "no_parallel": request(user("Read."), tools=(READ,), parallel=False),
    "result_then_text": request(
        user("Read."), assistant(call("call_1")), user(result("call_1", "text"), "And now?")
    ),
    "big_integers": request(
        user("Seek."), assistant(call("call_1", "read_file", BIG)), user(result("call_1", "ok"))
    ),
    "arguments_that_are_no_json": request(
        user("Seek."), assistant(call("call_1", arguments='{"path":')), user(result("call_1", "ok"))
    ),
    "error_result": request(
        user("Read."), assistant(call("call_1")), user(result("call_1", "no file", is_error=True))
    ),
    "empty_result": request(user("Do."), assistant(call("call_1")), user(result("call_1"))),
    "image_result": request(
        user("Look."),
        assistant(call("call_1")),
        user(result("call_1", "Here:", Image("image/png", data=PIXEL))),
    ),
    "reasoning": request(
        user("Think."),
        assistant(Reasoning("I think.", (SIGNED,)), Reasoning("", (REDACTED,)), call("call_1")),
        user(result("call_1", "ok")),
        assistant(Reasoning("So.", (ENCRYPTED,)), Text("Done.", seals=(THOUGHT,))),
        user("Thanks."),
    ),
    "sealed_call": request(
        user("Read."), assistant(call("call_1", seals=(THOUGHT,))), user(result("call_1", "ok"))
    ),
    "refusal": request(user("Bad."), assistant(Refusal("I will not.")), user("Then good.")),
    "cache_marks": request(
        said("system", Text("Be brief.", CacheMark("1h"))),
        user(Text("Hello", CacheMark())),
        assistant(call("call_1")),
        user(result("call_1", "ok", cache=CacheMark("5m"))),
        tools=(READ, STRICT),
    ),
    "choice_none": request(user("Hello"), tools=(READ,), choice=Choice("none")),
    "choice_required": request(user("Hello"), tools=(READ, LIST), choice=Choice("required")),
    "choice_one": request(
        user("Hello"), tools=(READ, LIST), choice=Choice("one", allowed=("read_file",))
    ),
    "choice_allowed": request(
        user("Hello"), tools=(READ, LIST, BARE), choice=Choice("auto", ("read_file", "now"))
    ),
    "format": request(user("As JSON."), format=Format(SCHEMA, "answer", "An answer.", True)),
    "any_json": request(user("As JSON."), format=Format()),
    "effort_level": request(user("Think."), effort=Effort("high", shown=True, summary="auto")),
    "effort_budget": request(user("Think."), effort=Effort(budget=4000), max_output=8000),
    "effort_adaptive": request(user("Think."), effort=Effort(adaptive=True, shown=True)),
    "effort_none": request(user("Quick."), effort=Effort("none")),
    "sampling": request(
        user("Dice."),
        sampling=Sampling(1.5, 0.9, 40, 0.5, -0.5, 7, ("END", "STOP", "\n\n", "a", "b", "c")),
    ),
    "all_else": request(
        user("Hello"),
        max_output=1000,
        user="someone",
        cache_key="a-key",
        verbosity="low",
        service_tier="priority",
        include_usage=True,
        extra={"logit_bias": b'{"50256":-100}'},
    ),
    # What settling has to mend.
    "orphan_result": request(user(result("gone", "old", Image("image/png", data=PIXEL)), "Now?")),
    "unanswered_call": request(user("Read."), assistant(call("call_1")), user("Never mind.")),
    "late_result": request(
        user("Read."), assistant(call("call_1")), user("Wait."), user(result("call_1", "text"))
    ),
}

AGENT_TOOLS: tuple[Tool, ...] = (READ, LIST, DOTTED, LONG_NAME, PATCH)
_AGENT = (
    said("system", "You are an agent."),
    user("Mend the test."),
    assistant(Reasoning("Look first.", (SIGNED,)), "I look.", call("call_1", "list_files", "{}")),
    user(result("call_1", "a.py\nb.py", name="list_files")),
    assistant(call("call_2", arguments=BIG), call("call_3", "files.read", '{"path":"b.py"}')),
    user(
        result("call_2", STRANGE, name="read_file"),
        result("call_3", "no", Image("image/png", data=PIXEL), name="files.read", is_error=True),
    ),
    assistant("I patch.", call("call_4", "apply_patch", "*** Begin Patch\n", custom=True)),
    user(result("call_4", "Done.", name="apply_patch", custom=True), "Faster!"),
    assistant(call("call_5")),
    user("Stop."),
    assistant(Reasoning("Hm.", (THOUGHT,)), "I stopped."),
    user("Now the docs."),
    assistant(STRANGE),
    said("developer", "Mind the time."),
    user("Well?", Image("image/png", data=PIXEL)),
)


def turns(dialect: DialectName = "chat") -> list[Request]:
    """Give the requests of one conversation, each with the earlier one's messages and more."""
    ends = [n + 1 for n, message in enumerate(_AGENT) if message.role == "user"]
    return [request(*_AGENT[:end], dialect=dialect, tools=AGENT_TOOLS) for end in ends]


USAGE = Usage(input=100, cache_read=40, cache_write=7, output=30, reasoning=12, cache_write_1h=3)
_BEGAN = Began("vendor-1", "vendor-model")


def called(number: int, id: str, name: str, *pieces: str, **rest: Any) -> list[Event]:
    """Give the events of one call."""
    deltas: list[Event] = [CallDelta(number, piece) for piece in pieces]
    return [CallBegan(number, id, name, **rest), *deltas, CallEnded(number)]


REPLIES: dict[str, list[Event]] = {
    "text": [_BEGAN, TextDelta("Hel"), TextDelta("lo"), Used(USAGE), Ended("stop")],
    "unicode": [_BEGAN, *map(TextDelta, STRANGE), Ended("stop")],
    "no_usage": [_BEGAN, TextDelta("Hello"), Ended("stop")],
    "nothing": [_BEGAN, Used(USAGE), Ended("stop")],
    "usage_twice": [
        _BEGAN,
        Used(Usage(input=100)),
        TextDelta("Hello"),
        Used(USAGE),
        Ended("stop"),
    ],
    "stop_sequence": [_BEGAN, TextDelta("Hello"), Used(USAGE), Ended("stop", "END")],
    "length": [_BEGAN, TextDelta("Hel"), Used(USAGE), Ended("length")],
    "filter": [_BEGAN, Used(USAGE), Ended("filter")],
    "refusal": [_BEGAN, RefusalDelta("I will"), RefusalDelta(" not."), Ended("refusal")],
    "pause": [_BEGAN, TextDelta("Wait"), Used(USAGE), Ended("pause")],
    "malformed": [_BEGAN, Used(USAGE), Ended("malformed")],
    "one_call": [
        _BEGAN,
        TextDelta("I read."),
        *called(0, "call_1", "read_file", '{"pa', 'th":"a"}'),
        Used(USAGE),
        Ended("tool"),
    ],
    "parallel_calls": [
        _BEGAN,
        *called(0, "call_1", "read_file", BIG),
        *called(1, "call_2", "list_files"),
        Used(USAGE),
        Ended("tool"),
    ],
    "interleaved_calls": [
        _BEGAN,
        CallBegan(0, "call_1", "read_file"),
        CallBegan(1, "call_2", "list_files"),
        CallDelta(1, '{"a"'),
        CallDelta(0, '{"path":'),
        CallDelta(1, ":1}"),
        CallEnded(1),
        CallDelta(0, '"a"}'),
        CallEnded(0),
        Used(USAGE),
        Ended("tool"),
    ],
    "call_then_text": [
        _BEGAN,
        *called(0, "call_1", "read_file", "{}"),
        TextDelta("Called."),
        Ended("tool"),
    ],
    "custom_call": [
        _BEGAN,
        *called(0, "call_p", "apply_patch", "*** Begin", ' Patch\n+"é"\n', custom=True),
        Used(USAGE),
        Ended("tool"),
    ],
    "thoughts": [
        _BEGAN,
        ThoughtDelta("I "),
        ThoughtDelta("think."),
        ThoughtEnded((SIGNED,)),
        ThoughtEnded((REDACTED,)),
        TextDelta("So."),
        Used(USAGE),
        Ended("stop"),
    ],
    "thoughts_between": [
        _BEGAN,
        TextDelta("First."),
        ThoughtDelta("Hm."),
        ThoughtEnded(),
        TextDelta("Second."),
        *called(0, "call_1", "read_file", "{}"),
        ThoughtDelta("And."),
        ThoughtEnded((ENCRYPTED,)),
        *called(1, "call_2", "list_files", "{}"),
        Ended("tool"),
    ],
    "sealed_text": [
        _BEGAN,
        TextDelta("So."),
        TextSealed(THOUGHT),
        Used(USAGE),
        Ended("stop"),
    ],
    "sealed_call": [
        _BEGAN,
        CallBegan(0, "call_1", "read_file"),
        CallDelta(0, "{}"),
        CallEnded(0, (THOUGHT,)),
        Used(USAGE),
        Ended("tool"),
    ],
}
