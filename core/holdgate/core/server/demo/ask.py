"""What a request asks the demo model for, the same for all dialects."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

JsonObject = dict[str, object]

MODEL = "demo-model"


class Refused(Exception):
    """A request that the demo vendor does not take: the HTTP status and why."""

    def __init__(self, status: int, message: str) -> None:
        """Take the status and one sentence for people."""
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the request offers, with the JSON schema of its arguments."""

    name: str
    schema: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ask:
    """A request as the script sees it.

    `words`: the last user message. `result`: the tool result that follows it, if one does.
    `longest`: how many tokens the reply may have; 0 is as many as it takes. `array`: a Gemini
    stream as a JSON array. `usage`: a chat stream shall tell its usage.
    """

    model: str
    words: str = ""
    tools: tuple[Tool, ...] = ()
    result: str | None = None
    prompt_tokens: int = 1
    longest: int = 0
    stream: bool = False
    array: bool = False
    usage: bool = False


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a reply is marked with: a token its ids are made of, and Unix seconds."""

    token: str
    created: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One write to a stream, and how many words it shows."""

    data: bytes
    words: int = 0


def object_of(value: object) -> JsonObject:
    """Give a JSON object as it is and anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: object) -> list[JsonObject]:
    """Give the objects in a JSON list; none for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(value: object) -> str:
    """Give a text as it is and anything else as an empty one."""
    return value if isinstance(value, str) else ""


def count_of(value: object) -> int:
    """Give a positive whole number as it is and anything else as 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def texts_in(content: object) -> str:
    """Give the text of a message's content, be it a text or a list of parts."""
    if isinstance(content, str):
        return content
    return spoken(text_of(part.get("text")) for part in objects_of(content))


def spoken(texts: Iterable[str]) -> str:
    """Join what a person said, without the tagged blocks that agents put around it."""
    said = [text.strip() for text in texts if text.strip()]
    plain = [text for text in said if not (text.startswith("<") and text.endswith(">"))]
    return "\n".join(plain or said)


def size_of(body: JsonObject) -> int:
    """Estimate the tokens of a request: about four characters each."""
    return max(1, len(json.dumps(body, ensure_ascii=False)) // 4)


def compact(value: object) -> str:
    """Write JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def encoded(text: str) -> bytes:
    """Write text as UTF-8; half a surrogate pair, which JSON may hold, becomes a question mark."""
    return text.encode("utf-8", "replace")


def sse(data: JsonObject, event: str = "") -> bytes:
    """Write one server-sent event."""
    name = f"event: {event}\n" if event else ""
    return encoded(f"{name}data: {compact(data)}\n\n")
