"""The script: what the demo model answers to a request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from holdgate.core.server.demo.ask import Ask, JsonObject, Tool, compact, object_of

Stop = Literal["end", "length", "tool"]

QUOTED_RESULT = 200
QUOTED_WORDS = 8
QUOTED_PROMPT = 60
# A schema may refer to itself; past this depth a value is as good as any.
DEEPEST = 8

GREETING = (
    "Hello from Holdgate's demo model. {said} This reply is scripted, but its way to you was real: "
    "your agent asked the gateway on this machine, the gateway put the request into the queue of "
    "the provider demo, waited until that provider had a free place and room in its minute, and is "
    "now passing these words on as they come. Send a few requests at once and watch the queue: "
    "those that have to wait are kept alive, and none of them fails. If your agent offers tools, "
    "write the word tool and I will call one. To talk to a real model, run gateway provider add."
)
RESULT = (
    "The demo model got the result of the tool, through the gateway like everything else. "
    "It begins with: {result} That is all that is in the script; ask for anything else."
)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool."""

    name: str
    arguments: JsonObject

    @property
    def text(self) -> str:
        """The arguments as JSON text."""
        return compact(self.arguments)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the demo model says: a text or one call, and why it ends there."""

    text: str
    call: Call | None
    stop: Stop
    prompt_tokens: int

    @property
    def output_tokens(self) -> int:
        """The size of the answer, a word or a fragment of arguments counted as one token."""
        return len(fragments(self.call.text) if self.call else words(self.text))


def answer(ask: Ask) -> Answer:
    """Decide what to say to a request."""
    if ask.result is None and (tool := _wanted(ask)):
        call = Call(tool.name, object_of(sample({"type": "object", **tool.schema})))
        return Answer("", call, "tool", ask.prompt_tokens)
    text = _text(ask)
    parts = words(text)
    if ask.longest and len(parts) > ask.longest:
        return Answer("".join(parts[: ask.longest]), None, "length", ask.prompt_tokens)
    return Answer(text, None, "end", ask.prompt_tokens)


def words(text: str) -> list[str]:
    """Cut a text into words that join to it again."""
    return re.findall(r"\s*\S+(?:\s+\Z)?", text)


def fragments(arguments: str) -> list[str]:
    """Cut a call's arguments into pieces as vendors do: anywhere."""
    return [arguments[start : start + 12] for start in range(0, len(arguments), 12)]


def sample(schema: JsonObject, root: JsonObject | None = None, depth: int = 0) -> object:
    """Make a small value that fits a JSON schema, also one with Gemini's upper-case types."""
    root = root or schema
    if depth > DEEPEST:
        return "demo"
    if isinstance(ref := schema.get("$ref"), str):
        return sample(_referred(root, ref), root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if isinstance(choices := schema.get("enum"), list) and choices:
        return choices[0]
    for union in ("anyOf", "oneOf", "allOf"):
        if isinstance(members := schema.get(union), list) and members:
            return sample(object_of(members[0]), root, depth + 1)
    return _of_type(schema, root, depth)


def _of_type(schema: JsonObject, root: JsonObject, depth: int) -> object:
    match _type(schema):
        case "object":
            properties = object_of(schema.get("properties"))
            required = schema.get("required")
            names = required if isinstance(required, list) else []
            return {
                str(name): sample(object_of(properties.get(str(name))), root, depth + 1)
                for name in names
            }
        case "array":
            return [sample(object_of(schema.get("items")), root, depth + 1)]
        case "integer" | "number":
            low = schema.get("minimum")
            return max(1, low) if isinstance(low, int | float) else 1
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return "demo"


def _type(schema: JsonObject) -> str:
    found = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(found, list):
        found = next((item for item in found if item != "null"), "null")
    return str(found).lower()


def _referred(root: JsonObject, ref: str) -> JsonObject:
    target = root
    for step in ref.removeprefix("#").split("/"):
        target = object_of(target.get(step)) if step else target
    return target


def _wanted(ask: Ask) -> Tool | None:
    """Give the tool that the user asks for.

    A name counts only as it is spelt: agents have tools called Read and Write, and to say "read"
    is not to ask for one.
    """
    named = (tool for tool in ask.tools if re.search(_word(tool.name), ask.words))
    if tool := next(named, None):
        return tool
    if re.search(r"\btools?\b", ask.words, re.IGNORECASE):
        return next(iter(ask.tools), None)
    return None


def _word(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?!\w)"


def _text(ask: Ask) -> str:
    if ask.result is not None:
        return RESULT.format(result=_quote(ask.result[:QUOTED_RESULT]))
    said = ask.words.split()
    first = " ".join(said[:QUOTED_WORDS])[:QUOTED_PROMPT]
    more = " ..." if len(first) < len(" ".join(said)) else ""
    return GREETING.format(
        said=f"You wrote {_quote(first + more)}." if said else "You wrote nothing."
    )


def _quote(text: str) -> str:
    return f"“{text}”"
