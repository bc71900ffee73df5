"""The page on translation stays true: its tables are what the code does with samples."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdgate.core.catalog import load_presets
from holdgate.core.catalog.quirks import KNOWN_QUIRKS
from holdgate.core.dialects.translation.base import Target, Telling
from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.dialects.translation.efforts import BUDGETS, level_of
from holdgate.core.dialects.translation.table import TRANSLATORS
from holdgate.core.relay.wording import SHORT
from holdgate.core.values.names import DialectName
from holdgate.core.values.neutral import (
    Call,
    Document,
    Effort,
    Image,
    Loss,
    Message,
    Part,
    Reasoning,
    Request,
    Result,
    Sampling,
    Text,
)
from holdgate.core.values.neutral_reply import Began, Ended, Event, TextDelta, Used
from tests.dialects.translation.conversations import (
    PIXEL,
    READ,
    REPLIES,
    REQUESTS,
    USAGE,
    of,
    request,
    said,
    user,
)

PAGE = (Path(__file__).parents[1] / "docs/translation.md").read_text(encoding="utf-8")
DIALECTS: tuple[DialectName, ...] = ("chat", "responses", "messages", "gemini")
SPAN = re.compile(r"`([^`]+)`")
NONE = "\N{EN DASH}"

# Vendors of each dialect who together know all that it can say; the first is the plain one.
TARGETS: dict[DialectName, tuple[Target, ...]] = {
    "chat": (
        Target("v", "chat", "m"),
        Target("openai", "chat", "gpt-4.1", frozenset({"openai"})),
        Target("openai", "chat", "gpt-5", frozenset({"openai"})),
    ),
    "responses": (Target("openai", "responses", "gpt-4.1"),),
    "messages": (
        Target("anthropic", "messages", "claude-sonnet-4-5"),
        Target("anthropic", "messages", "claude-opus-4-6"),
    ),
    "gemini": (
        Target("google", "gemini", "gemini-2.5-flash"),
        Target("google", "gemini", "gemini-3-pro"),
    ),
}


def tables(heading: str) -> list[list[list[str]]]:
    """Give the tables of a section, each with its rows but the first two lines."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"(?:^\|.*\n)+", section + "\n", re.MULTILINE)
    return [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()][2:]
        for block in blocks
    ]


def spans(cell: str) -> list[str]:
    return SPAN.findall(cell)


def has(value: Any, span: str) -> bool:
    """Tell whether JSON holds a quoted text as a value, or else a path of members."""
    if span.startswith('"'):
        return span.strip('"') in strings(value)
    return any(True for holder in holders(value) if follows(holder, span.split(".")))


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if is_list(value) else ():
        yield from strings(inner)


def holders(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if is_list(value) else ():
        yield from holders(inner)


def follows(value: Any, path: list[str]) -> bool:
    if is_list(value):
        return any(follows(each, path) for each in value)
    if not path:
        return value is not None
    return isinstance(value, dict) and path[0] in value and follows(value[path[0]], path[1:])


def is_list(value: Any) -> bool:
    return isinstance(value, list)


def any_part(test: Callable[[Part], object]) -> Callable[[Request], object]:
    return lambda asked: any(test(part) for message in asked.messages for part in message.parts)


def failed(part: Part) -> bool:
    return isinstance(part, Result) and part.is_error


def is_sound(asked: Request) -> object:
    return any(type(part).__name__ == "Audio" for m in asked.messages for part in m.parts)


# For each row of requests: samples that say it, and what must be found when they are read again.
ASKED: dict[str, tuple[tuple[Request, ...], Callable[[Request], object]]] = {
    "system prompt": (
        (REQUESTS["system"],),
        lambda asked: asked.messages[0].role == "system",
    ),
    "tool": ((REQUESTS["tools"],), lambda asked: asked.tools),
    "call of a tool": ((REQUESTS["one_call"],), any_part(lambda p: isinstance(p, Call))),
    "its result": ((REQUESTS["one_call"],), any_part(lambda p: isinstance(p, Result))),
    "its failure": ((REQUESTS["error_result"],), any_part(failed)),
    "call with free text": ((REQUESTS["custom_tool"],), any_part(lambda p: isinstance(p, Call))),
    "which tool must be called": ((REQUESTS["choice_required"],), lambda asked: asked.choice),
    "one call at a time": ((REQUESTS["no_parallel"],), lambda asked: asked.parallel is False),
    "image": (
        (REQUESTS["image"], REQUESTS["image_by_url"]),
        any_part(lambda p: isinstance(p, Image)),
    ),
    "document": ((REQUESTS["document"],), any_part(lambda p: isinstance(p, Document))),
    "sound": ((REQUESTS["audio"],), is_sound),
    "answer as JSON": ((REQUESTS["format"],), lambda asked: asked.format and asked.format.schema),
    "how much to think": (
        (request(user("Think."), effort=Effort("high")),),
        lambda asked: asked.effort and level_of(asked.effort) == "high",
    ),
    "longest answer": ((REQUESTS["all_else"],), lambda asked: asked.max_output),
    "stop sequences": (
        (request(user("Hi"), sampling=Sampling(stops=("END",))),),
        lambda asked: asked.sampling.stops,
    ),
    "temperature": (
        (request(user("Hi"), sampling=Sampling(temperature=0.5)),),
        lambda asked: asked.sampling.temperature,
    ),
    "top k": (
        (request(user("Hi"), sampling=Sampling(top_k=5)),),
        lambda asked: asked.sampling.top_k,
    ),
    "seed and penalties": (
        (request(user("Hi"), sampling=Sampling(None, None, None, 0.5, 0.5, 7)),),
        lambda asked: asked.sampling.seed,
    ),
    "who is asking": ((REQUESTS["all_else"],), lambda asked: asked.user),
    "key of a cache": ((REQUESTS["all_else"],), lambda asked: asked.cache_key),
    "mark of a cache": (
        (REQUESTS["cache_marks"],),
        any_part(lambda p: isinstance(p, Text | Result) and p.cache),
    ),
}
# What says nothing to a model may be left out without a word.
QUIET = {"who is asking", "key of a cache", "mark of a cache"}
IN_WORDS = "said in words"


def asked_rows() -> list[list[str]]:
    return tables("What corresponds")[0]


@pytest.mark.parametrize("row", asked_rows(), ids=lambda row: row[0])
def test_what_corresponds_in_requests(row: list[str]) -> None:
    samples, probe = ASKED[row[0]]
    for dialect, cell in zip(DIALECTS, row[1:], strict=True):
        written = [
            TRANSLATORS[dialect].write_request(sample, target)
            for sample in samples
            for target in TARGETS[dialect]
        ]
        if cell.startswith(NONE):
            assert written[0].losses or row[0] in QUIET, (dialect, "nothing is lost")
            continue
        bodies = [json.loads(each.body) for each in written]
        for span in spans(cell):
            assert any(has(body, span) for body in bodies), (dialect, span)
        again = [TRANSLATORS[dialect].read_request(each.body, "m", "sse") for each in written]
        assert any(map(probe, again)) or cell == IN_WORDS, dialect


def test_no_row_is_missing() -> None:
    assert {row[0] for row in asked_rows()} == ASKED.keys()
    assert {row[0] for row in tables("What corresponds")[1]} == TOLD.keys()


CUT: list[Event] = [Began("r", "m"), TextDelta("Hel"), Used(USAGE)]
# For each row of replies: one that says it, and what must be found when it is read again.
TOLD: dict[str, tuple[list[Event], Callable[[Any], object]]] = {
    "text": (REPLIES["text"], lambda answer: answer.parts[0].text == "Hello"),
    "thinking": (REPLIES["thoughts"], lambda answer: answer.parts[0].text == "I think."),
    "opaque values": (
        REPLIES["thoughts"] + REPLIES["sealed_call"],
        lambda answer: any(part.seals for part in answer.parts),
    ),
    "call of a tool": (REPLIES["one_call"], lambda answer: answer.parts[1].name == "read_file"),
    "refusal": (REPLIES["refusal"], lambda answer: answer.parts[0].text == "I will not."),
    "end: all is said": (REPLIES["text"], lambda answer: answer.why == "stop"),
    "end: too long": ([*CUT, Ended("length")], lambda answer: answer.why == "length"),
    "end: tools are called": (REPLIES["one_call"], lambda answer: answer.why == "tool"),
    "end: filtered": ([*CUT, Ended("filter")], lambda answer: answer.why in ("filter", "refusal")),
    "tokens read": (REPLIES["text"], lambda answer: answer.usage.input in (100, 107)),
    "of the cache": (REPLIES["text"], lambda answer: answer.usage.cache_read == 40),
    "of thinking": (REPLIES["text"], lambda answer: answer.usage.output == 30),
}


@pytest.mark.parametrize("row", tables("What corresponds")[1], ids=lambda row: row[0])
def test_what_corresponds_in_replies(row: list[str]) -> None:
    events, probe = TOLD[row[0]]
    answers = list(each_answer(events))
    for dialect, cell in zip(DIALECTS, row[1:], strict=True):
        asked = request(user("Hi"), dialect=dialect, tools=(READ,), include_usage=True)
        telling = Telling("abc", "m", 5, "sse", asked)
        found: list[Any] = []
        for answer in answers:
            stream = TRANSLATORS[dialect].reply_writer(telling).tell(answer)
            lines = re.findall(rb"^data: (\{.*?)\r?$", stream, re.MULTILINE)
            found += map(json.loads, lines)
            reader = TRANSLATORS[dialect].reply_reader(Target("v", dialect, "m"))
            assert probe(collect(reader.feed(stream) + reader.close())), dialect
        for span in spans(cell):
            assert any(has(each, span) for each in found), (dialect, span)


def each_answer(events: list[Event]) -> Iterator[list[Event]]:
    """Give the answers that stand one after another."""
    starts = [n for n, event in enumerate(events) if isinstance(event, Began)]
    for start, end in zip(starts, [*starts[1:], len(events)], strict=True):
        yield events[start:end]


def test_the_efforts_are_those_of_the_code() -> None:
    rows = tables("How much to think")[0]
    assert [(spans(row[0])[0], int(row[1])) for row in rows] == list(BUDGETS)
    for level, most in [(spans(row[0])[0], int(row[2])) for row in rows[1:-1]]:
        assert level_of(Effort(budget=most)) == level
        assert level_of(Effort(budget=most + 1)) != level


def test_the_numbers_are_those_of_the_code() -> None:
    page = " ".join(PAGE.split())
    assert f"can but be short ({SHORT} tokens, no thinking)" in page


def test_the_hosted_tools_are_those_of_the_catalogue() -> None:
    rows = [[spans(cell) for cell in row] for row in tables("Tools")[0]]
    assert rows == [
        [[name], [dialect], list(kinds)]
        for name, preset in load_presets().items()
        for dialect, kinds in preset.hosted.items()
    ]


def test_the_quirks_are_those_of_the_catalogue() -> None:
    rows = tables("Quirks")[0]
    assert [spans(row[0])[0] for row in rows] == list(KNOWN_QUIRKS)
    presets = load_presets()
    for cell, value, says, vendors in rows:
        quirk = spans(cell)[0]
        pattern = KNOWN_QUIRKS[quirk]
        assert bool(value) == (pattern is not None), quirk
        if pattern is not None and spans(value):
            assert spans(value) == pattern.split("|"), quirk
        assert says
        assert spans(vendors) == [
            name
            for name, preset in presets.items()
            if quirk in {each.partition("=")[0] for each in preset.quirks}
        ], quirk


def read(dialect: DialectName, **body: Any) -> Request:
    """Give an agent's request with something that the neutral form may not hold."""
    words: dict[DialectName, dict[str, Any]] = {
        "chat": {"messages": [{"role": "user", "content": "Hi"}]},
        "responses": {"input": "Hi", "store": False},
        "messages": {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 99},
        "gemini": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    }
    whole = json.dumps({**words[dialect], **body}).encode()
    return TRANSLATORS[dialect].read_request(whole, "m", "sse")


def hears(dialect: DialectName, part: dict[str, Any]) -> Request:
    if dialect == "gemini":
        return read(dialect, contents=[{"role": "user", "parts": [{"text": "Hi"}, part]}])
    return read(dialect, messages=[{"role": "user", "content": [part]}])


PICTURE = Image("image/png", data=PIXEL)
# Which agent's requests say it; a vendor of that agent's dialect gets them as bytes.
LOSING: dict[str, tuple[Request, ...]] = {
    "an image": (REQUESTS["image"],),
    "an image by its address": (REQUESTS["image_by_url"],),
    "an image in a tool's result": (REQUESTS["image_result"],),
    "an image in a system prompt": (request(said("system", PICTURE), user("Hi")),),
    "a PDF": (REQUESTS["document"],),
    "a document by its address": (REQUESTS["document_by_url"],),
    "a document that is text": (REQUESTS["document_as_text"],),
    "a file that another vendor keeps": tuple(
        of(agent, request(user(part, "Hi")))
        for agent in ("messages", "gemini")
        for part in (Image(file_id="f"), Document(file_id="f"))
    ),
    "sound": (REQUESTS["audio"],),
    "a video": (
        hears("gemini", {"inlineData": {"mimeType": "video/mp4", "data": "AAAA"}}),
        hears("chat", {"type": "video_url", "video_url": {"url": "https://example.org/a.mp4"}}),
    ),
    "a tool for the use of a computer": (
        read("messages", tools=[{"type": "computer_20250124", "name": "computer"}]),
        read("responses", tools=[{"type": "computer_use_preview"}]),
        read("gemini", tools=[{"computerUse": {}}]),
    ),
    "a web search that the vendor does not run": (REQUESTS["hosted"],),
    "several answers to one question": (
        read("chat", n=2),
        read("gemini", generationConfig={"candidateCount": 2}),
    ),
    "an answer that is no text": (
        read("chat", modalities=["text", "audio"]),
        read("gemini", generationConfig={"responseModalities": ["IMAGE"]}),
    ),
    "a conversation that a vendor keeps": (
        read("responses", conversation="c"),
        read("gemini", cachedContent="c"),
    ),
    "a summary that only its vendor can read": (
        read("responses", input=[{"type": "compaction", "encrypted_content": "x"}]),
    ),
    "free text as a tool's input": (REQUESTS["custom_tool"],),
    "strict arguments": (request(user("Hi"), tools=(REQUESTS["tools"].tools[2],)),),
    "an answer by a schema": (REQUESTS["format"],),
    "one call at a time": (REQUESTS["no_parallel"],),
    "stop sequences": (request(user("Hi"), sampling=Sampling(stops=("END",))),),
    "top k": (request(user("Hi"), sampling=Sampling(top_k=5)),),
    "a seed": (request(user("Hi"), sampling=Sampling(seed=5)),),
    "penalties": (request(user("Hi"), sampling=Sampling(presence_penalty=0.5)),),
    "a temperature above 1": (request(user("Hi"), sampling=Sampling(temperature=1.5)),),
    "how much to say (verbosity)": (request(user("Hi"), verbosity="low"),),
    "a service tier": (request(user("Hi"), service_tier="flex"),),
    "members that only the agent's vendor knows": (read("chat", logit_bias={"1": 1}),),
    "a call without a result": (REQUESTS["unanswered_call"],),
}


def becomes(sample: Request, dialect: DialectName) -> str:
    """Say what becomes of a request on a vendor, as the page does."""
    target = TARGETS[dialect][-1 if dialect == "gemini" else 0]
    written = TRANSLATORS[dialect].write_request(sample, target)
    losses: tuple[Loss, ...] = (*sample.losses, *written.losses)
    if any(loss.grave for loss in losses):
        return "**grave**"
    return "loss" if losses else "said"


def losing_row(what: str) -> list[str]:
    found = [{becomes(sample, dialect) for sample in LOSING[what]} for dialect in DIALECTS]
    return [what, *(" or ".join(sorted(each)) for each in found)]


def test_the_losses_are_those_of_the_code() -> None:
    assert tables("Losses")[0] == [losing_row(what) for what in LOSING]


def test_samples_are_what_they_say() -> None:
    assert has({"a": [{"b": {"c": "d"}}]}, "a.b.c") and has(["d"], '"d"')
    assert not has({"a": {"b": None}}, "a.b") and not has({"a": "b"}, '"a"')
    assert isinstance(REQUESTS["reasoning"].messages[1].parts[0], Reasoning)
    assert isinstance(REQUESTS["reasoning"].messages[1], Message)
