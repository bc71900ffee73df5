"""Reads an agent's Messages request into the neutral form."""

from __future__ import annotations

import msgspec

from holdgate.core.dialects.raw_events import Members
from holdgate.core.dialects.reading import decode_request, load, member, texts
from holdgate.core.dialects.translation.json_texts import dumps, loads
from holdgate.core.dialects.translation.messages.block_reader import BlockReader
from holdgate.core.dialects.translation.messages.shapes import (
    Body,
    OutputFormat,
    Thinking,
    Turn,
    given,
)
from holdgate.core.dialects.translation.messages.tool_reader import read_choice, read_tools
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import (
    Call,
    Effort,
    Format,
    Loss,
    Message,
    Part,
    Request,
    Role,
    Sampling,
    Text,
)

_body = msgspec.json.Decoder(Body)
_members = msgspec.json.Decoder(Members)
_raws = msgspec.json.Decoder(list[msgspec.Raw] | None)

_ROLES: dict[str, Role] = {role: role for role in ("system", "developer", "user", "assistant")}
_UNDERSTOOD = frozenset(Body.__struct_fields__)
# They say nothing to another vendor: the envelope, telemetry, and switches of the own vendor's
# service (`context_management` lets that vendor forget old thoughts and results by itself).
_MEANINGLESS = frozenset(
    {
        "model",
        "stream",
        "betas",
        "anthropic_beta",
        "anthropic_version",
        "cache_control",
        "context_management",
        "diagnostics",
        "fallbacks",
        "inference_geo",
        "speed",
        "user_profile_id",
        "workspace_id",
    }
)
# Claude Code's first system block changes with its version, which would break every prompt cache.
_BILLING = "x-anthropic-billing-header:"


def read_request(body: bytes, model: str) -> Request:
    """See base.Translator."""
    found, members = _decoded(body)
    losses: list[Loss] = []
    blocks = BlockReader(losses)
    messages = list(_system(found, blocks))
    messages += (
        _message(turn, f"messages[{at}]", blocks) for at, turn in enumerate(found.messages)
    )
    tools = read_tools(found.tools, _tools_of(members), losses)
    user, session = _who(found)
    choice = found.tool_choice
    config = found.output_config
    return Request(
        "messages",
        model,
        tuple(messages),
        tools=tools,
        choice=read_choice(choice),
        parallel=False if choice is not None and choice.disable_parallel_tool_use else None,
        format=_format((config and config.format) or found.output_format),
        effort=_effort(found.thinking, (config and config.effort) or ""),
        sampling=_sampling(found),
        max_output=max(0, found.max_tokens or 0),
        user=user,
        cache_key=session,
        service_tier=found.service_tier or "",
        include_usage=True,
        extra=_extra(members),
        losses=tuple(losses),
    )


def _message(turn: Turn, path: str, blocks: BlockReader) -> Message:
    if (role := _ROLES.get(turn.role)) is None:
        raise Fault(FaultKind.REQUEST, f"{path}.role: there is no role {turn.role!r}")
    parts = blocks.parts(turn.content, path)
    if role != "assistant" and any(isinstance(part, Call) for part in parts):
        raise Fault(FaultKind.REQUEST, f"{path}: only the assistant calls tools")
    return Message(role, parts)


def _decoded(body: bytes) -> tuple[Body, Members]:
    try:
        return _body.decode(body), _members.decode(body)
    except msgspec.ValidationError:
        return decode_request(_body, body), {}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Perhaps half a character, which agents that cut texts by length do send.
        body = _mended(body)
        return decode_request(_body, body), decode_request(_members, body)


def _mended(body: bytes) -> bytes:
    try:
        return dumps(loads(body))
    except (ValueError, RecursionError, OverflowError):
        return body


def _tools_of(members: Members) -> list[msgspec.Raw]:
    return _raws.decode(members.get("tools", b"null")) or []


def _system(body: Body, blocks: BlockReader) -> list[Message]:
    """Give the system prompt as the first message."""
    parts: list[Part] = []
    for part in blocks.parts(body.system, "system"):
        if isinstance(part, Text) and part.text.startswith(_BILLING):
            part = Text(part.text.partition("\n")[2], part.cache)
        if not isinstance(part, Text) or part.text:
            parts.append(part)
    return [Message("system", tuple(parts))] if parts else []


def _who(body: Body) -> tuple[str, str]:
    """Give the user and the conversation.

    Claude Code's `user_id` names the person's account and device, which is no other vendor's
    business; only its session is kept.
    """
    user = (body.metadata.user_id if body.metadata else None) or ""
    if session := texts(member(load(user.encode("utf-8", "replace")), "session_id")):
        return "", session
    _, found, session = user.rpartition("_session_")
    return ("", session) if found else (user, "")


def _format(found: OutputFormat | None) -> Format | None:
    if found is None:
        return None
    return Format(given(found.schema)) if found.type == "json_schema" else None


def _effort(thinking: Thinking | None, level: str) -> Effort | None:
    if thinking is None:
        return Effort(level) if level else None
    shown = {"summarized": True, "omitted": False}.get(thinking.display or "")
    match thinking.type:
        case "enabled":
            return Effort(level, max(0, thinking.budget_tokens or 0), shown=shown)
        case "adaptive":
            return Effort(level, adaptive=True, shown=shown)
        case "disabled" | "between_tools":
            return Effort("none")
        case _:
            raise Fault(FaultKind.REQUEST, f"thinking.type: there is no type {thinking.type!r}")


def _sampling(body: Body) -> Sampling:
    return Sampling(
        temperature=body.temperature,
        top_p=body.top_p,
        top_k=body.top_k,
        stops=tuple(stop for stop in body.stop_sequences or () if stop),
    )


def _extra(members: Members) -> dict[str, bytes]:
    return {
        name: value
        for name, raw in members.items()
        if name not in _UNDERSTOOD and name not in _MEANINGLESS and (value := given(raw))
    }
