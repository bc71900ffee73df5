"""The shape of an agent's Messages request, as far as it is understood; the rest stays unread."""

from __future__ import annotations

import msgspec

from holdgate.core.values.neutral import CacheMark

_ABSENT = msgspec.Raw(b"")
_NOTHING = frozenset({b"", b"null"})


class CacheControl(msgspec.Struct, frozen=True):
    """A cache mark."""

    ttl: str | None = None


class Source(msgspec.Struct, frozen=True):
    """Where an image or a document comes from."""

    type: str = ""
    media_type: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None
    content: msgspec.Raw = _ABSENT


class Block(msgspec.Struct, frozen=True):
    """A block of any type."""

    type: str = "text"
    text: str | None = None
    source: Source | str | None = None
    title: str | None = None
    context: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = _ABSENT
    tool_use_id: str | None = None
    tool_name: str | None = None
    content: msgspec.Raw = _ABSENT
    is_error: bool | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    cache_control: CacheControl | None = None


class Turn(msgspec.Struct, frozen=True):
    """A message."""

    role: str
    content: str | list[Block] | None = None


class Tool(msgspec.Struct, frozen=True):
    """A tool of any type."""

    name: str = ""
    type: str | None = None
    description: str | None = None
    input_schema: msgspec.Raw = _ABSENT
    strict: bool | None = None
    cache_control: CacheControl | None = None


class ToolChoice(msgspec.Struct, frozen=True):
    """Which tools the model may or must call."""

    type: str
    name: str = ""
    disable_parallel_tool_use: bool | None = None


class Thinking(msgspec.Struct, frozen=True):
    """Whether and how much the model is to think."""

    type: str
    budget_tokens: int | None = None
    display: str | None = None


class OutputFormat(msgspec.Struct, frozen=True):
    """The shape of the answer's text."""

    type: str = ""
    schema: msgspec.Raw = _ABSENT


class OutputConfig(msgspec.Struct, frozen=True):
    """Effort and format."""

    effort: str | None = None
    format: OutputFormat | None = None


class Metadata(msgspec.Struct, frozen=True):
    """Who asks."""

    user_id: str | None = None


class Body(msgspec.Struct, frozen=True):
    """A request."""

    messages: list[Turn]
    system: str | list[Block] | None = None
    tools: list[Tool] | None = None
    tool_choice: ToolChoice | None = None
    thinking: Thinking | None = None
    output_config: OutputConfig | None = None
    output_format: OutputFormat | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    stop_sequences: list[str] | None = None
    metadata: Metadata | None = None
    service_tier: str | None = None


def given(value: msgspec.Raw) -> bytes:
    """Give the JSON text of a member, b"" if it is missing or null."""
    data = bytes(value).strip()
    return b"" if data in _NOTHING else data


def mark_of(control: CacheControl | None) -> CacheMark | None:
    """Give the cache mark, if there is one."""
    return None if control is None else CacheMark(control.ttl or "")
