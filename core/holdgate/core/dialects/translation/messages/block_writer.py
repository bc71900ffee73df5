"""Writes neutral parts as the blocks of a Messages request."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.call_ids import fit_id
from holdgate.core.dialects.translation.custom_tools import as_arguments
from holdgate.core.dialects.translation.json_texts import dumps, loads
from holdgate.core.dialects.translation.messages.media_types import (
    IMAGES,
    PDF,
    is_text,
    media_type_of,
    text_in,
)
from holdgate.core.dialects.translation.tool_names import ToolNames
from holdgate.core.values.neutral import (
    Audio,
    CacheMark,
    Call,
    Document,
    Image,
    Loss,
    Part,
    Reasoning,
    Refusal,
    Result,
    Text,
)

_NOT_IN_ID = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_ID = 64
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


class BlockWriter:
    """Writes the parts of one request; what cannot be said is added to `losses`."""

    __slots__ = ("_losses", "_names", "_origin")

    def __init__(self, names: ToolNames, origin: str, losses: list[Loss]) -> None:
        """Take the tools' names, and whose seals go back."""
        self._names, self._origin, self._losses = names, origin, losses

    def blocks(self, part: Part, path: str) -> Iterator[Json]:
        """Give the blocks of a part: none, one, or several."""
        match part:
            case Text() | Refusal():
                # Blocks of nothing but white space are refused.
                if part.text.strip():
                    yield _marked({"type": "text", "text": part.text}, _cache(part))
            case Image() | Document():
                yield from self._medium(part, path)
            case Audio():
                self._losses.append(Loss(path, "sound", grave=True))
            case Call():
                yield self._call(part, path)
            case Result():
                yield from self._result(part, path)
            case Reasoning():
                yield from self._thoughts(part)

    def _medium(self, part: Image | Document, path: str) -> Iterator[Json]:
        block = _image(part) if isinstance(part, Image) else _document(part)
        if block is None:
            kind = "an image" if isinstance(part, Image) else "a document"
            why = part.media_type or ("a vendor's file" if part.file_id else "no data")
            self._losses.append(
                Loss(path, f"{kind} of a kind that is not known there: {why}", True)
            )
        else:
            yield _marked(block, part.cache)

    def _call(self, call: Call, path: str) -> Json:
        text = as_arguments(call.arguments) if call.custom else call.arguments
        arguments = object_text(text)
        if arguments is None:
            self._losses.append(Loss(path, "arguments that are no JSON object, kept as text"))
            arguments = raw_text(text)
        block: Json = {
            "type": "tool_use",
            "id": _fit(call.id),
            "name": self._names.told(call.name, call.namespace),
            "input": msgspec.Raw(arguments),
        }
        return _marked(block, call.cache)

    def _result(self, result: Result, path: str) -> Iterator[Json]:
        shown = [block for part in result.parts for block in self.blocks(part, path)]
        # An error's content may be text only; the rest follows it.
        behind = [b for b in shown if b["type"] != "text"] if result.is_error else []
        block: Json = {"type": "tool_result", "tool_use_id": _fit(result.call_id)}
        if content := [b for b in shown if b not in behind]:
            block["content"] = content
        if result.is_error:
            block["is_error"] = True
        yield _marked(block, result.cache)
        yield from behind

    def _thoughts(self, reasoning: Reasoning) -> Iterator[Json]:
        for seal in reasoning.seals:
            if seal.origin != self._origin:
                continue
            if seal.kind == "redacted":
                yield {"type": "redacted_thinking", "data": seal.value}
            else:
                yield {"type": "thinking", "thinking": reasoning.text, "signature": seal.value}


def object_text(text: str) -> bytes | None:
    """Give the JSON text of an object as it was written, None if it is none; empty is `{}`."""
    if not text.strip():
        return b"{}"
    data = text.encode("utf-8", "replace")
    try:
        _members.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _mended(text)
    return data


def input_of(text: str) -> bytes:
    """Give the JSON text of the object that stands for arguments, whatever they are."""
    found = object_text(text)
    return raw_text(text.strip()) if found is None else found


def raw_text(text: str) -> bytes:
    """Give an object that holds a text that is no object."""
    return dumps({"_raw": text})


def _mended(text: str) -> bytes | None:
    try:
        value = loads(text)
        return dumps(value) if isinstance(value, dict) else None
    except (ValueError, RecursionError, OverflowError):
        return None


def _fit(id: str) -> str:
    return fit_id(id, _NOT_IN_ID, _LONGEST_ID)


def _cache(part: Text | Refusal) -> CacheMark | None:
    return part.cache if isinstance(part, Text) else None


def _marked(block: Json, cache: CacheMark | None) -> Json:
    if cache is not None:
        block["cache_control"] = cache_control(cache)
    return block


def cache_control(cache: CacheMark) -> Json:
    """Give a cache mark."""
    return {"type": "ephemeral"} | ({"ttl": cache.ttl} if cache.ttl in ("5m", "1h") else {})


def _image(image: Image) -> Json | None:
    if image.data:
        kind = media_type_of(image.data, image.media_type)
        kind = "image/jpeg" if kind == "image/jpg" else kind
        source = {"type": "base64", "media_type": kind, "data": image.data}
        return {"type": "image", "source": source} if kind in IMAGES else None
    return _from_url("image", image.url)


def _document(document: Document) -> Json | None:
    block = _document_block(document)
    if block is not None and document.name:
        block["title"] = document.name
    return block


def _document_block(document: Document) -> Json | None:
    if document.text:
        return _plain(document.text)
    if not document.data:
        return _from_url("document", document.url)
    kind = media_type_of(document.data, document.media_type)
    if kind == PDF:
        source = {"type": "base64", "media_type": PDF, "data": document.data}
        return {"type": "document", "source": source}
    text = text_in(document.data) if is_text(kind) else ""
    return _plain(text) if text else None


def _plain(text: str) -> Json:
    source = {"type": "text", "media_type": "text/plain", "data": text}
    return {"type": "document", "source": source}


def _from_url(type: str, url: str) -> Json | None:
    if not url.startswith(("http://", "https://")):
        return None
    return {"type": type, "source": {"type": "url", "url": url}}
