"""Laws of requests: read(write(x)) keeps what a dialect can say, also by way of another one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.efforts import LEVELS
from holdgate.core.dialects.translation.settling import settle
from holdgate.core.dialects.translation.table import TRANSLATORS
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.neutral import (
    Call,
    Choice,
    Document,
    Effort,
    Format,
    Function,
    Image,
    Message,
    Part,
    Reasoning,
    Refusal,
    Request,
    Result,
    Sampling,
    Text,
)
from tests.dialects.translation.conversations import BIG, PAPER, PIXEL, SCHEMA, STRANGE, said

# Vendors of the catalogue that know all of their dialect, with models that take every setting.
TARGETS: dict[DialectName, Target] = {
    "chat": Target("openai", "chat", "gpt-4.1", frozenset({"openai"})),
    "responses": Target("openai", "responses", "gpt-4.1"),
    "messages": Target("anthropic", "messages", "claude-opus-4-5"),
    "gemini": Target("google", "gemini", "gemini-3-pro"),
}
every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)
PAIRS = [(a, b) for a in DIALECT_NAMES for b in DIALECT_NAMES if a != b]

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(str.strip)
TEXTS = WORDS | st.just(STRANGE)
NAMES = ("read_file", "list-files", "x")
TOOLS = tuple(Function(name, f"About {name}.", SCHEMA) for name in NAMES)
IMAGE = Image("image/png", data=PIXEL)
DOCUMENT = Document("application/pdf", data=PAPER, name="a.pdf")
CHOICES = [
    None,
    Choice("auto"),
    Choice("none"),
    Choice("required"),
    Choice("one", ("read_file",)),
]


@st.composite
def conversations(draw: st.DrawFn, *, images: bool) -> tuple[Message, ...]:
    """Give a conversation as agents have them: calls are answered, the person says the last word.

    In each turn there is one text at most, since not all dialects tell where a text ends.
    """
    messages = [said("system", draw(TEXTS))] if draw(st.booleans()) else []
    calls = 0
    messages.append(Message("user", draw(questions())))
    for _ in range(draw(st.integers(0, 3))):
        asked = [
            Call(f"call_{calls + n}", draw(st.sampled_from(NAMES)), draw(arguments()))
            for n in range(draw(st.integers(0, 2)))
        ]
        calls += len(asked)
        text = [Text(draw(TEXTS))] if not asked or draw(st.booleans()) else []
        thought = [Reasoning(draw(TEXTS))] if draw(st.booleans()) else []
        messages.append(Message("assistant", (*thought, *text, *asked)))
        answers = [draw(results(call, images=images)) for call in asked]
        rest: tuple[Part, ...] = ()
        if not answers or draw(st.booleans()):
            rest = draw(questions())
        messages.append(Message("user", (*answers, *rest)))
    return tuple(messages)


@st.composite
def questions(draw: st.DrawFn) -> tuple[Part, ...]:
    media: list[Image | Document] = draw(st.lists(st.sampled_from([IMAGE, DOCUMENT]), max_size=2))
    return (*media, Text(draw(TEXTS)))


@st.composite
def arguments(draw: st.DrawFn) -> str:
    return draw(st.just(BIG) | st.dictionaries(WORDS, WORDS | st.integers()).map(json.dumps))


@st.composite
def results(draw: st.DrawFn, call: Call, *, images: bool) -> Result:
    """Give a call's result; not all dialects have images in it, nor all in one of an error."""
    failed = draw(st.booleans())
    media = (IMAGE,) if images and not failed and draw(st.booleans()) else ()
    return Result(call.id, (Text(draw(TEXTS)), *media), call.name, is_error=failed)


@st.composite
def requests(draw: st.DrawFn, *, images: bool) -> Request:
    """Give a request with any of the settings that some dialect has."""
    effort = draw(st.none() | st.sampled_from(LEVELS).map(Effort))
    maybe = st.none() | st.sampled_from([0.0, 0.25, 1.0])
    return Request(
        "chat",
        "model-asked-for",
        draw(conversations(images=images)),
        tools=TOOLS,
        choice=draw(st.sampled_from(CHOICES)),
        parallel=draw(st.sampled_from([None, False])),
        format=draw(st.sampled_from([None, Format(SCHEMA, "answer")])),
        effort=effort,
        sampling=Sampling(
            draw(maybe) if effort is None else None,  # who thinks takes none
            None,
            draw(st.sampled_from([None, 40])) if effort is None else None,
            draw(maybe),
            draw(maybe),
            draw(st.sampled_from([None, 7])),
            draw(st.sampled_from([(), ("END", "\n\nHuman:")])),
        ),
        max_output=draw(st.sampled_from([0, 4000, 8000])),
        user=draw(st.sampled_from(["", "someone"])),
        cache_key=draw(st.sampled_from(["", "a-key"])),
    )


# What dialects cannot say of a request, by the names of `meaning`.
SILENT: dict[DialectName, frozenset[str]] = {
    "chat": frozenset({"top_k", "thinking", "errors"}),
    "responses": frozenset(
        {"top_k", "presence_penalty", "frequency_penalty", "seed", "stops", "thinking", "errors"}
    ),
    "messages": frozenset(
        {"presence_penalty", "frequency_penalty", "seed", "cache_key", "thinking"}
        # Who thinks is forced to nothing; a limit there is always; an effort may be a budget.
        | {"choice", "max_output", "effort"}
    ),
    "gemini": frozenset(
        {"parallel", "user", "cache_key", "thinking", "effort", "closed schemas"}
        | {"presence_penalty", "frequency_penalty"}
    ),
}


def meaning(request: Request, *dialects: DialectName) -> dict[str, Any]:
    """Give what a request says, of that what all of `dialects` can say."""
    silent = frozenset[str]().union(*(SILENT[dialect] for dialect in dialects))
    sampling, effort = request.sampling, request.effort
    found: dict[str, Any] = {
        "messages": list(turns(request.messages, silent)),
        "tools": [(t.name, t.description, schema(t, silent)) for t in functions(request)],
        "choice": request.choice and (request.choice.mode, request.choice.allowed),
        "parallel": request.parallel is not False or request.choice == Choice("none"),
        "format": request.format and json.loads(request.format.schema),
        "effort": effort and effort.level,
        "temperature": sampling.temperature,
        "top_k": sampling.top_k,
        "presence_penalty": sampling.presence_penalty,
        "frequency_penalty": sampling.frequency_penalty,
        "seed": sampling.seed,
        "stops": sampling.stops,
        "max_output": request.max_output,
        "user": request.user,
        "cache_key": request.cache_key,
    }
    return {name: value for name, value in found.items() if name not in silent}


def schema(tool: Function, silent: frozenset[str]) -> Any:
    found = json.loads(tool.parameters)
    if "closed schemas" in silent:
        found.pop("additionalProperties", None)
    return found


def functions(request: Request) -> list[Function]:
    return [tool for tool in request.tools if isinstance(tool, Function)]


def turns(messages: tuple[Message, ...], silent: frozenset[str]) -> Iterator[tuple[Any, ...]]:
    for message in settle(messages)[0]:
        if parts := [meant for part in message.parts for meant in meant_by(part, silent)]:
            yield (message.role, *parts)


def meant_by(part: Part, silent: frozenset[str]) -> Iterator[Any]:
    match part:
        case Text(text) | Refusal(text):
            yield text
        case Reasoning(text):
            if "thinking" not in silent:
                yield ("thought", text)
        case Call():
            yield ("call", part.id, part.name, json.loads(part.arguments))
        case Result():
            said = [each.text for each in part.parts if isinstance(each, Text)]
            if "errors" in silent:  # they are told in words
                said = [text.removeprefix("Error: ") for text in said]
            images = [each.data for each in part.parts if isinstance(each, Image)]
            failed = part.is_error and "errors" not in silent
            yield ("result", part.call_id, said, images, failed)
        case Image():
            yield ("image", part.media_type, part.data)
        case Document():
            yield ("document", part.media_type, part.data)


def through(request: Request, dialect: DialectName) -> Request:
    """Give a request as the vendor of a dialect would understand what it gets."""
    written = TRANSLATORS[dialect].write_request(request, TARGETS[dialect])
    assert not any(loss.grave for loss in written.losses), written.losses
    return TRANSLATORS[dialect].read_request(written.body, request.model, "sse")


@every_dialect
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_what_is_written_is_read(dialect: DialectName, data: st.DataObject) -> None:
    asked = data.draw(requests(images=dialect != "chat"))
    assert meaning(through(asked, dialect), dialect) == meaning(asked, dialect)


@pytest.mark.parametrize(("dialect", "other"), PAIRS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_there_and_back_keeps_what_both_can_say(
    dialect: DialectName, other: DialectName, data: st.DataObject
) -> None:
    asked = data.draw(requests(images="chat" not in (dialect, other)))
    own = through(asked, dialect)
    back = through(through(own, other), dialect)
    assert meaning(back, dialect, other) == meaning(own, dialect, other)
