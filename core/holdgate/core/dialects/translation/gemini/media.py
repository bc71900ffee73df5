"""Media of Gemini's parts, both ways: `inlineData` and `fileData`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from holdgate.core.dialects.translation.gemini.looking import Members, text_at
from holdgate.core.dialects.translation.gemini.models import Abilities
from holdgate.core.dialects.translation.gemini.slots import standard
from holdgate.core.values.neutral import Audio, Document, Image, Loss

_Json = dict[str, object]
_AUDIO_FORMATS: Mapping[str, str] = MappingProxyType(
    {"mpeg": "mp3", "x-wav": "wav", "wave": "wav", "x-aiff": "aiff", "x-m4a": "m4a"}
)
_SUFFIXES: Mapping[str, str] = MappingProxyType(
    {
        "png": "image/png",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "webp": "image/webp",
        "gif": "image/gif",
        "heic": "image/heic",
        "heif": "image/heif",
        "bmp": "image/bmp",
        "pdf": "application/pdf",
        "txt": "text/plain",
        "html": "text/html",
        "csv": "text/csv",
        "json": "application/json",
    }
)
_DATA_URL = re.compile(r"data:([^;,]*)(?:;[^;,]*)*;base64,", re.I)
# Google: "Image understanding", "Document understanding". One of another type fails the request.
_NO_IMAGES = frozenset({"image/gif", "image/svg+xml", "image/tiff"})
_DOCUMENTS = re.compile(r"text/|application/(?:pdf|json|xml|rtf|x-javascript|x-python)\Z")
# Files that Google keeps: nobody else can read them.
_KEPT = re.compile(r"gs://|https?://[^/]*\.googleapis\.com/|files/")


def read_inline(found: Members, path: str) -> Image | Document | Audio | Loss:
    """Give the media of an `inlineData`."""
    kind = text_at(found, "mimeType", path).lower()
    data = standard(text_at(found, "data", path))
    if kind.startswith("image/"):
        return Image(media_type=kind, data=data)
    if kind.startswith("audio/"):
        form = kind.removeprefix("audio/").partition(";")[0]
        return Audio(data, _AUDIO_FORMATS.get(form, form))
    if kind.startswith("video/"):
        return Loss(path, "a video", grave=True)
    return Document(media_type=kind, data=data, name=text_at(found, "displayName", path))


def read_file(found: Members, path: str) -> Image | Document | Loss:
    """Give the media of a `fileData`."""
    uri = text_at(found, "fileUri", path)
    kind = text_at(found, "mimeType", path).lower() or _guessed(uri)
    if kind.startswith(("video/", "audio/")) or "youtube.com/" in uri or "youtu.be/" in uri:
        return Loss(path, "a video or audio file", grave=True)
    url, file_id = ("", uri) if _KEPT.match(uri) else (uri, "")
    if kind.startswith("image/"):
        return Image(media_type=kind, url=url, file_id=file_id)
    name = text_at(found, "displayName", path)
    return Document(media_type=kind, url=url, file_id=file_id, name=name)


def write_media(part: Image | Document | Audio, able: Abilities, path: str) -> _Json | Loss:
    """Give a part with the media of `part`, or why there is none."""
    match part:
        case Audio():
            return _inline(f"audio/{part.format}", part.data)
        case Document(text=text) if text:
            return {"text": f"{part.name}\n\n{text}" if part.name else text}
        case _:
            return _seen(part, able, path)


def _seen(part: Image | Document, able: Abilities, path: str) -> _Json | Loss:
    noun = "an image" if isinstance(part, Image) else "a document"
    kind = part.media_type or ("image/png" if isinstance(part, Image) else "application/pdf")
    data = part.data
    if match := _DATA_URL.match(part.url):
        kind, data = match[1].lower() or kind, part.url[match.end() :]
    if kind in _NO_IMAGES or (isinstance(part, Document) and not _DOCUMENTS.match(kind)):
        return Loss(path, f"{kind}: {noun} that Gemini cannot read", grave=True)
    if data:
        return _inline(kind, data)
    uri = part.url or part.file_id
    if _KEPT.match(uri) or (uri.startswith("https://") and able.fetches):
        told: _Json = {"fileUri": uri}
        said = part.media_type or _guessed(uri)
        if not said and isinstance(part, Document):
            said = kind
        return {"fileData": ({"mimeType": said} if said else {}) | told}
    if part.url:
        return Loss(path, f"{noun} by an address that the model cannot fetch", grave=True)
    return Loss(path, f"{noun} that another vendor keeps", grave=True)


def _inline(kind: str, data: str) -> _Json:
    return {"inlineData": {"mimeType": kind, "data": data}}


def _guessed(uri: str) -> str:
    """Give the media type by the end of an address."""
    try:
        path = urlsplit(uri).path
    except ValueError:
        return ""
    return _SUFFIXES.get(path.rpartition(".")[2].lower(), "")
