"""The neutral form of a request: nobody's dialect, all that the four of them can say.

JSON that belongs to the person's tools (schemas, arguments, grammars) stays JSON *text* as it was
written: numbers, key order and escapes survive. What is opaque is a Seal, what could not be said
elsewhere a Loss. An empty text means "not said" unless a field allows None. Nothing here can refer
to itself, so the garbage collector need not look (`gc=False`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import msgspec

from holdgate.core.values.names import DialectName

Role = Literal["system", "developer", "user", "assistant"]
_NOTHING: Mapping[str, bytes] = MappingProxyType({})


class Seal(msgspec.Struct, frozen=True, gc=False):
    """A vendor's opaque value: it goes back to its origin unchanged, and to nobody else.

    `origin`: "provider/dialect" of its maker; "/dialect" where only the dialect is known. `kind`:
    "signature" and "redacted" (messages), "encrypted" (responses), "thought" (gemini), or the name
    of a maker's own member (chat). `id`: of the item that it belongs to, where items have ids.
    """

    origin: str
    kind: str
    value: str
    id: str = ""


class Loss(msgspec.Struct, frozen=True, gc=False):
    """Something of a request or reply that the other dialect cannot say.

    `path`: where, as in `messages[3].content[0]`; `why`: in a few words. `grave`: it changes what
    is meant (an image, a document, a kind of tool), so that the candidate is not asked.
    """

    path: str
    why: str
    grave: bool = False


class CacheMark(msgspec.Struct, frozen=True, gc=False):
    """The prompt is to be cached up to here. `ttl`: "" for the vendor's own, "5m", "1h"."""

    ttl: str = ""


class Text(msgspec.Struct, frozen=True, tag=True, gc=False):
    """A text. `seals` belong to this place of an answer (Gemini signs text parts too)."""

    text: str
    cache: CacheMark | None = None
    seals: tuple[Seal, ...] = ()


class Image(msgspec.Struct, frozen=True, tag=True, gc=False):
    """An image: `data` (base64) with its `media_type`, or `url`, or a vendor's `file_id`."""

    media_type: str = ""
    data: str = ""
    url: str = ""
    file_id: str = ""
    detail: str = ""
    cache: CacheMark | None = None


class Document(msgspec.Struct, frozen=True, tag=True, gc=False):
    """A document: `data` (base64) with its `media_type`, `text`, `url`, or a vendor's `file_id`."""

    media_type: str = ""
    data: str = ""
    text: str = ""
    url: str = ""
    file_id: str = ""
    name: str = ""
    cache: CacheMark | None = None


class Audio(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Spoken input: base64 `data`; `format` such as "wav" or "mp3"."""

    data: str
    format: str


class Call(msgspec.Struct, frozen=True, tag=True, gc=False):
    """The model calls a tool.

    `arguments`: the JSON text of an object; of a `custom` tool the plain text that it is given.
    `namespace`: the tool that this one is within.
    """

    id: str
    name: str
    arguments: str
    custom: bool = False
    namespace: str = ""
    seals: tuple[Seal, ...] = ()
    cache: CacheMark | None = None


class Result(msgspec.Struct, frozen=True, tag=True, gc=False):
    """What a call gave; `name` of its tool where the dialect tells it."""

    call_id: str
    parts: tuple[Text | Image | Document, ...]
    name: str = ""
    is_error: bool = False
    custom: bool = False
    cache: CacheMark | None = None


class Reasoning(msgspec.Struct, frozen=True, tag=True, gc=False):
    """The model's thinking: its text or summary as shown, and its opaque forms."""

    text: str = ""
    seals: tuple[Seal, ...] = ()


class Refusal(msgspec.Struct, frozen=True, tag=True, gc=False):
    """The model's words why it will not answer."""

    text: str


Part = Text | Image | Document | Audio | Call | Result | Reasoning | Refusal


class Message(msgspec.Struct, frozen=True, gc=False):
    """One turn. Results stand in the user's turn, before its other parts."""

    role: Role
    parts: tuple[Part, ...]
    name: str = ""


class Function(msgspec.Struct, frozen=True, tag=True, gc=False):
    """A tool with arguments by JSON Schema (`parameters`, JSON text; empty: none)."""

    name: str
    description: str = ""
    parameters: bytes = b""
    strict: bool | None = None
    cache: CacheMark | None = None


class Custom(msgspec.Struct, frozen=True, tag=True, gc=False):
    """A tool that takes free text; `format`: JSON text of its grammar, empty: any text."""

    name: str
    description: str = ""
    format: bytes = b""


class Namespace(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Tools within a tool (Codex)."""

    name: str
    tools: tuple[Function | Custom, ...]
    description: str = ""


class Hosted(msgspec.Struct, frozen=True, tag=True, gc=False):
    """A tool that the vendor runs itself. `kind`: "web_search", "code", "computer", or its type.

    `raw`: JSON text of the tool as the agent's dialect writes it.
    """

    kind: str
    raw: bytes


Tool = Function | Custom | Namespace | Hosted


class Choice(msgspec.Struct, frozen=True, gc=False):
    """Which tools the model may or must call. `allowed`: of these only; of `one` the only name."""

    mode: Literal["auto", "none", "required", "one"]
    allowed: tuple[str, ...] = ()


class Format(msgspec.Struct, frozen=True, gc=False):
    """The answer's text is to be JSON; `schema`: JSON text, empty: any object."""

    schema: bytes = b""
    name: str = ""
    description: str = ""
    strict: bool | None = None


class Effort(msgspec.Struct, frozen=True, gc=False):
    """How much the model is to think.

    `level`: none, minimal, low, medium, high, xhigh or max; `budget`: in tokens (0: not said);
    `adaptive`: the model decides (Anthropic); `shown`: whether its thoughts or their summary are
    wanted in the reply; `summary`: auto, concise or detailed (responses).
    """

    level: str = ""
    budget: int = 0
    adaptive: bool = False
    shown: bool | None = None
    summary: str = ""


class Sampling(msgspec.Struct, frozen=True, gc=False):
    """How the next token is drawn; None: not said."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    stops: tuple[str, ...] = ()


class Request(msgspec.Struct, frozen=True, gc=False):
    """A request as it is meant.

    `dialect`: the agent's. `parallel`: whether several calls at once are fine (None: not said).
    `max_output`: in tokens, 0: not said. `include_usage`: the agent wants usage in a stream.
    `extra`: members of the agent's dialect that mean something only there, as JSON text by name;
    `losses`: what reading already could not keep. `echo`: members that a reply in the agent's
    dialect repeats (responses), as JSON text by name.
    """

    dialect: DialectName
    model: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    choice: Choice | None = None
    parallel: bool | None = None
    format: Format | None = None
    effort: Effort | None = None
    sampling: Sampling = Sampling()
    max_output: int = 0
    user: str = ""
    cache_key: str = ""
    verbosity: str = ""
    service_tier: str = ""
    previous_id: str = ""
    include_usage: bool = False
    extra: Mapping[str, bytes] = _NOTHING
    losses: tuple[Loss, ...] = ()
    echo: Mapping[str, bytes] = _NOTHING
