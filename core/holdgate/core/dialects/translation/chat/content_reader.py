"""Content of chat messages, as agents write it: texts and lists of parts."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

from holdgate.core.dialects.reading import member, texts
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import (
    Audio,
    CacheMark,
    Document,
    Image,
    Loss,
    Part,
    Refusal,
    Text,
)

_DATA_URL = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),", re.I)
Tell = Callable[[Loss], None]


def refuse(path: str, expected: str) -> Fault:
    """Give the fault of a member that is not what the dialect says."""
    return Fault(FaultKind.REQUEST, f"{path}: must be {expected}")


def content_parts(value: Any, path: str, tell: Tell) -> Iterator[Part]:
    """Give the parts of a message's `content`; what cannot be kept is told as a loss."""
    if value is None:
        return
    if isinstance(value, str):
        yield Text(value)
        return
    if not isinstance(value, list):
        raise refuse(path, "a text or a list of parts")
    for number, item in enumerate(value):
        where = f"{path}[{number}]"
        if isinstance(item, str):
            yield Text(item)
        elif isinstance(item, dict):
            part = _part(item, where)
            if part is not None:
                yield part
            else:
                kind = texts(item.get("type")) or "?"
                tell(Loss(where, f'a part of the type "{kind}" is not known', grave=True))
        else:
            raise refuse(where, "an object")


def _part(item: dict[str, Any], path: str) -> Part | None:
    match item.get("type"):
        case "text" | "input_text" | "output_text" | None if isinstance(item.get("text"), str):
            return Text(item["text"], cache=cache_mark(item))
        case "refusal" if isinstance(item.get("refusal"), str):
            return Refusal(item["refusal"])
        case "image_url" | "input_image":
            return _image(item, path)
        case "input_audio":
            data = texts(member(item, "input_audio", "data"))
            format = texts(member(item, "input_audio", "format"))
            if not data:
                raise refuse(f"{path}.input_audio.data", "base64 text")
            return Audio(data, format or "wav")
        case "file" | "input_file":
            return _file(item)
    return None


def cache_mark(item: dict[str, Any]) -> CacheMark | None:
    """Give the mark that agents of OpenRouter put into parts."""
    mark = item.get("cache_control")
    if not isinstance(mark, dict):
        return None
    ttl = texts(mark.get("ttl"))
    return CacheMark(ttl if ttl in ("5m", "1h") else "")


def _image(item: dict[str, Any], path: str) -> Image:
    source = item.get("image_url")
    detail = texts(member(source, "detail")) or texts(item.get("detail"))
    url = source if isinstance(source, str) else texts(member(source, "url"))
    if not url:
        raise refuse(f"{path}.image_url", "an object with a url")
    media_type, data = data_of(url)
    if data:
        return Image(media_type=media_type, data=data, detail=detail, cache=cache_mark(item))
    return Image(url=url, detail=detail, cache=cache_mark(item))


def _file(item: dict[str, Any]) -> Document | None:
    file = item.get("file") if isinstance(item.get("file"), dict) else item
    name, data = texts(member(file, "filename")), texts(member(file, "file_data"))
    id = texts(member(file, "file_id"))
    if not data and not id:
        return None
    media_type, bare = data_of(data)
    if not bare:
        if data.startswith(("http://", "https://")):
            return Document(url=data, name=name, cache=cache_mark(item))
        bare, media_type = data, ""
    guessed = media_type or ("application/pdf" if bare or name else "")
    return Document(media_type=guessed, data=bare, file_id=id, name=name, cache=cache_mark(item))


def data_of(url: str) -> tuple[str, str]:
    """Give media type and base64 data of a data URL; ("", "") for any other.

    A media type that is left out is found in the data where they are an image's.
    """
    if url[:5].lower() != "data:":
        return "", ""
    head = _DATA_URL.match(url)
    if head is None:
        return "", ""
    media_type, data = head[1].strip().lower(), url[head.end() :]
    if ";base64" not in head[2].lower():
        data = _encoded(data)
    return media_type or _sniffed(data), data


def _encoded(text: str) -> str:
    return b64encode(unquote_to_bytes(text)).decode()


# The first characters of base64 data, by the kind of image.
_BEGINNINGS = (
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi", "application/pdf"),
)


def _sniffed(data: str) -> str:
    return next((kind for begin, kind in _BEGINNINGS if data.startswith(begin)), "")
