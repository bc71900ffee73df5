"""Content of messages, as chat vendors take it: one text, or parts where a text is not enough."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable
from typing import Any

from holdgate.core.dialects.reading import Json
from holdgate.core.values.neutral import (
    Audio,
    CacheMark,
    Document,
    Image,
    Loss,
    Part,
    Refusal,
    Result,
    Text,
)

Tell = Callable[[Loss], None]
_TEXTUAL = ("text/", "application/json", "application/xml", "application/yaml")
_EXTENSIONS = {"application/pdf": "pdf"}


def joined(texts: Iterable[str]) -> str:
    """Give several texts as one, a blank line between them unless they bring their own space."""
    found = ""
    pieces = []
    for text in texts:
        if not text:
            continue
        if found and not (found[-1:].isspace() or text[:1].isspace()):
            pieces.append("\n\n")
        pieces.append(text)
        found = text
    return "".join(pieces)


def content(parts: Iterable[Json], *, listed: bool) -> str | list[Json]:
    """Give parts as a message's content: one text where all are texts, unless `listed`."""
    found = list(parts)
    if listed or any(part["type"] != "text" for part in found):
        return found
    return joined(part["text"] for part in found)


def text_part(text: str, mark: CacheMark | None = None) -> Json:
    """Give a text as a part."""
    part: dict[str, Any] = {"type": "text", "text": text}
    if mark is not None:
        part["cache_control"] = {"type": "ephemeral", **({"ttl": mark.ttl} if mark.ttl else {})}
    return part


def told_parts(parts: Iterable[Part], path: str, tell: Tell, *, marks: bool) -> list[Json]:
    """Give a user's parts; what chat cannot say is told as a loss."""
    found = []
    for number, part in enumerate(parts):
        told = _told(part, f"{path}.parts[{number}]", tell, marks=marks)
        if told is not None:
            found.append(told)
    return found


def _told(part: Part, path: str, tell: Tell, *, marks: bool) -> Json | None:
    match part:
        case Text(text=text, cache=mark):
            return text_part(text, mark if marks else None)
        case Image():
            return _image(part, path, tell)
        case Document():
            return _document(part, path, tell, marks=marks)
        case Audio(data=data, format=format):
            return {"type": "input_audio", "input_audio": {"data": data, "format": format}}
        case Refusal(text=text):
            return text_part(text)
    return None


def _image(image: Image, path: str, tell: Tell) -> Json | None:
    url = image.url
    if image.data:
        url = f"data:{image.media_type or 'image/png'};base64,{image.data}"
    if not url:
        tell(Loss(path, "an image that another vendor keeps", grave=True))
        return None
    source = {"url": url}
    if image.detail in ("auto", "low", "high"):
        source["detail"] = image.detail
    return {"type": "image_url", "image_url": source}


def _document(document: Document, path: str, tell: Tell, *, marks: bool) -> Json | None:
    mark = document.cache if marks else None
    if text := text_of(document):
        return text_part(text, mark)
    if not document.data:
        where = "at an address" if document.url else "that another vendor keeps"
        tell(Loss(path, f"a document {where}", grave=True))
        return None
    media_type = document.media_type or "application/pdf"
    if media_type.startswith("image/"):
        return _image(Image(media_type=media_type, data=document.data), path, tell)
    name = document.name or f"document.{_EXTENSIONS.get(media_type, 'bin')}"
    data = f"data:{media_type};base64,{document.data}"
    return {"type": "file", "file": {"filename": name, "file_data": data}}


def text_of(document: Document) -> str:
    """Give a document's text under its name, "" if it is no plain text."""
    text = document.text
    if not text and document.data and document.media_type.startswith(_TEXTUAL):
        try:
            text = b64decode(document.data).decode()
        except ValueError:
            return ""
    return f"{document.name}:\n{text}" if text and document.name else text


def split_result(result: Result) -> tuple[str, tuple[Image | Document, ...]]:
    """Give the text of a result, and what has to be told apart: tool messages are texts."""
    said, apart = [], []
    for part in result.parts:
        text = part.text if isinstance(part, Text) else ""
        if isinstance(part, Document):
            text = text_of(part)
        if text:
            said.append(text)
        elif not isinstance(part, Text):
            apart.append(part)
    words = joined(said)
    if result.is_error and not words.lstrip().lower().startswith("error"):
        words = f"Error: {words}" if words else "Error"
    if apart and not words:
        words = "The result is in the message that follows."
    return words, tuple(apart)
