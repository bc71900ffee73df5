"""Foreign seals: opaque values in a relayed request that other vendors made, taken out again.

A conversation that was answered in translation carries wrapped seals in the agent's own slots, and
thinking that nobody signed. A vendor of the agent's dialect would refuse both. Only messages that
hold any are written anew, all other bytes of the request stay as they came.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

import msgspec

from holdgate.core.values.names import DialectName
from holdgate.core.values.seals import MARK

Members = dict[str, msgspec.Raw]
_MARK = MARK.encode()
_UNSIGNED = re.compile(rb'"signature":\s?""')
# Where each dialect's messages stand, and the parts within each.
_PLACES: Mapping[DialectName, tuple[str, str]] = MappingProxyType(
    {
        "messages": ("messages", "content"),
        "responses": ("input", ""),
        "gemini": ("contents", "parts"),
        "chat": ("messages", ""),
    }
)


def without_foreign_seals(dialect: DialectName, body: bytes) -> bytes:
    """Give a request's body as its own dialect's vendor may get it; mostly `body` itself."""
    if _MARK not in body and not (dialect == "messages" and _UNSIGNED.search(body)):
        return body
    try:
        request = msgspec.json.decode(body, type=Members)
        name, parts = _PLACES[dialect]
        messages = msgspec.json.decode(request[name], type=list[msgspec.Raw])
        kept = [each for one in messages if (each := _mended(dialect, one, parts)) is not None]
    except (msgspec.DecodeError, KeyError, RecursionError):
        return body  # no such request: its vendor says so
    at = body.find(bytes(request[name]))
    told = b"[" + b",".join(bytes(each) for each in kept) + b"]"
    return body[:at] + told + body[at + len(request[name]) :]


def _mended(dialect: DialectName, message: msgspec.Raw, parts: str) -> msgspec.Raw | None:
    """Give a message without what its vendor did not make; None if nothing is left of it."""
    if not _is_suspect(bytes(message)):
        return message
    if not parts:
        return _ITEMS[dialect](message)
    members = msgspec.json.decode(message, type=Members)
    try:
        found = msgspec.json.decode(members[parts], type=list[msgspec.Raw])
    except (msgspec.DecodeError, KeyError):
        return message
    kept = [each for one in found if (each := _ITEMS[dialect](one)) is not None]
    if not kept:
        return None
    return msgspec.Raw(msgspec.json.encode(members | {parts: msgspec.Raw(_list(kept))}))


def _is_suspect(data: bytes) -> bool:
    return _MARK in data or _UNSIGNED.search(data) is not None


def _list(items: list[msgspec.Raw]) -> bytes:
    return b"[" + b",".join(bytes(item) for item in items) + b"]"


def _block(block: msgspec.Raw) -> msgspec.Raw | None:
    """A thinking block of Messages goes whole if its signature is none of this vendor's."""
    members = msgspec.json.decode(block, type=Members)
    kind = _text(members.get("type"))
    slot = {"thinking": "signature", "redacted_thinking": "data"}.get(kind)
    if slot is None:
        return block
    value = _text(members.get(slot))
    return None if not value or value.startswith(MARK) else block


def _item(item: msgspec.Raw) -> msgspec.Raw | None:
    """A reasoning item of Responses goes whole."""
    members = msgspec.json.decode(item, type=Members)
    foreign = _text(members.get("encrypted_content")).startswith(MARK)
    return None if foreign and _text(members.get("type")) == "reasoning" else item


def _part(part: msgspec.Raw) -> msgspec.Raw | None:
    """Of a part of Gemini's only the signature goes, and the part with it if it bears no more."""
    members = msgspec.json.decode(part, type=Members)
    names = [n for n in ("thoughtSignature", "thought_signature") if n in members]
    foreign = [n for n in names if _text(members[n]).startswith(MARK)]
    if not foreign:
        return part
    kept = {name: value for name, value in members.items() if name not in foreign}
    empty = not kept or (set(kept) <= {"text", "thought"} and not _text(kept.get("text")))
    return None if empty else msgspec.Raw(msgspec.json.encode(kept))


def _chat_message(message: msgspec.Raw) -> msgspec.Raw | None:
    """Of an assistant's message the slots go that Chat vendors do not know."""
    members = msgspec.json.decode(message, type=Members)
    members.pop("reasoning_details", None)
    calls = members.get("tool_calls")
    if calls is not None and _MARK in bytes(calls):
        found = msgspec.json.decode(calls, type=list[Members])
        for call in found:
            if _MARK in bytes(call.get("extra_content", msgspec.Raw(b""))):
                del call["extra_content"]
        members["tool_calls"] = msgspec.Raw(msgspec.json.encode(found))
    return msgspec.Raw(msgspec.json.encode(members))


def _text(value: msgspec.Raw | None) -> str:
    try:
        return msgspec.json.decode(value or b'""', type=str)
    except msgspec.DecodeError:
        return ""


_ITEMS: Mapping[DialectName, Callable[[msgspec.Raw], msgspec.Raw | None]] = MappingProxyType(
    {"messages": _block, "responses": _item, "gemini": _part, "chat": _chat_message}
)
