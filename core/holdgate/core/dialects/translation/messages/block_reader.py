"""Reads the content of an agent's messages: blocks in, neutral parts out."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from holdgate.core.dialects.reading import decode_request
from holdgate.core.dialects.translation.messages.nested_words import words_in
from holdgate.core.dialects.translation.messages.shapes import Block, Source, given, mark_of
from holdgate.core.dialects.translation.messages.slots import (
    Passenger,
    passenger_in,
    seal_in,
    seated,
)
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import (
    Call,
    Document,
    Image,
    Loss,
    Part,
    Reasoning,
    Result,
    Text,
)

_Content = str | list[Block] | None
_content: msgspec.json.Decoder[_Content] = msgspec.json.Decoder(_Content)


class BlockReader:
    """Reads the blocks of one message; what cannot be kept is added to `losses`."""

    __slots__ = ("_losses",)

    def __init__(self, losses: list[Loss]) -> None:
        """Take where losses are told."""
        self._losses = losses

    def parts(self, content: str | list[Block] | None, path: str) -> tuple[Part, ...]:
        """Give the parts of a message's content."""
        if isinstance(content, str):
            return (Text(content),) if content else ()
        found: list[Part | Passenger] = []
        for index, block in enumerate(content or ()):
            found += self._block(block, f"{path}.content[{index}]")
        return tuple(seated(found))

    def _block(self, block: Block, path: str) -> Iterator[Part | Passenger]:
        match block.type:
            case "tool_use":
                yield _call(block, path)
            case "tool_result":
                yield self._result(block, path)
            case "thinking":
                yield from _thought(block)
            case "redacted_thinking":
                yield from _redacted(block)
            case _:
                yield from self._shown(block, path)

    def _shown(self, block: Block, path: str) -> Iterator[Text | Image | Document]:
        """Give what a block shows: these may stand in a result, too."""
        match block.type:
            case "text":
                if block.text:
                    yield Text(block.text, mark_of(block.cache_control))
            case "image":
                yield _image(block, path)
            case "document":
                yield from self._document(block, path)
            case "search_result":
                yield _search_result(block)
            case "tool_reference":
                yield Text(f"tool: {block.tool_name or block.name or ''}")
            case "container_upload":
                self._losses.append(Loss(path, "a file of a container", grave=True))
            case _:
                yield from self._foreign(block, path)

    def _result(self, block: Block, path: str) -> Result:
        content = _nested(block.content, path)
        if isinstance(content, str):
            parts: tuple[Text | Image | Document, ...] = (Text(content),) if content else ()
        else:
            parts = tuple(
                part
                for index, inner in enumerate(content or ())
                for part in self._shown(inner, f"{path}.content[{index}]")
            )
        return Result(
            block.tool_use_id or "",
            parts,
            is_error=bool(block.is_error),
            cache=mark_of(block.cache_control),
        )

    def _document(self, block: Block, path: str) -> Iterator[Text | Image | Document]:
        source = _source(block, path)
        if block.context:
            yield Text(block.context)
        document = Document(name=block.title or "", cache=mark_of(block.cache_control))
        media_type, data = source.media_type or "", source.data or ""
        match source.type:
            case "text":
                yield replace(document, media_type=media_type or "text/plain", text=data)
            case "content":
                yield from self._document_of_blocks(source, document, path)
            case "url":
                yield replace(document, media_type=media_type, url=source.url or "")
            case "file":
                yield replace(document, file_id=source.file_id or "")
            case _:
                yield replace(document, media_type=media_type or "application/pdf", data=data)

    def _document_of_blocks(
        self, source: Source, document: Document, path: str
    ) -> Iterator[Text | Image | Document]:
        content = _nested(source.content, path)
        if isinstance(content, str):
            yield replace(document, media_type="text/plain", text=content)
            return
        shown = [part for block in content or () for part in self._shown(block, path)]
        text = "\n\n".join(part.text for part in shown if isinstance(part, Text))
        if text:
            yield replace(document, media_type="text/plain", text=text)
        yield from (part for part in shown if not isinstance(part, Text))

    def _foreign(self, block: Block, path: str) -> Iterator[Text]:
        """Tools that the agent's own vendor ran: what they found is told as text."""
        self._losses.append(Loss(path, f"a block of type {block.type}, kept as text"))
        if words := block.text or words_in(given(block.content)):
            yield Text(f"[{block.type}]\n{words}")


def _nested(raw: msgspec.Raw, path: str) -> _Content:
    """Give the content within a block; JSON that is neither text nor blocks is told as it is."""
    data = given(raw)
    if data[:1] not in (b"", b'"', b"["):
        return data.decode()
    try:
        return decode_request(_content, data or b"null")
    except Fault as fault:
        raise Fault(fault.kind, f"{path}.content: {fault.message}") from fault


def _call(block: Block, path: str) -> Call:
    if not block.name:
        raise Fault(FaultKind.REQUEST, f"{path}: a tool_use block needs a name")
    arguments = given(block.input).decode() or "{}"
    return Call(block.id or "", block.name, arguments, cache=mark_of(block.cache_control))


def _thought(block: Block) -> Iterator[Part | Passenger]:
    seals = (seal_in(block.signature, "signature"),) if block.signature else ()
    if block.thinking or seals:
        yield Reasoning(block.thinking or "", seals)


def _redacted(block: Block) -> Iterator[Part | Passenger]:
    if block.data:
        seal = seal_in(block.data, "redacted")
        yield passenger_in(seal) or Reasoning(seals=(seal,))


def _source(block: Block, path: str) -> Source:
    if not isinstance(block.source, Source):
        raise Fault(FaultKind.REQUEST, f"{path}.source: an object is needed")
    return block.source


def _image(block: Block, path: str) -> Image:
    source = _source(block, path)
    cache = mark_of(block.cache_control)
    match source.type:
        case "url":
            return Image(url=source.url or "", cache=cache)
        case "file":
            return Image(file_id=source.file_id or "", cache=cache)
        case _:
            return Image(source.media_type or "", source.data or "", cache=cache)


def _search_result(block: Block) -> Text:
    source = block.source if isinstance(block.source, str) else ""
    told = (block.title or "", source, words_in(given(block.content)))
    return Text("\n".join(words for words in told if words), mark_of(block.cache_control))
