"""Parts of a message or of a tool's output, written for a vendor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from mimetypes import guess_extension

from holdgate.core.dialects.reading import Json
from holdgate.core.values.neutral import (
    Document,
    Image,
    Loss,
    Part,
    Refusal,
    Request,
    Result,
    Text,
)

_DETAILS = frozenset({"low", "high", "auto", "original"})
_ERROR = "error"


def spoken_parts(parts: Iterable[Text | Refusal]) -> Iterator[Json]:
    """Give the content of an assistant's message."""
    for part in parts:
        if isinstance(part, Refusal):
            yield {"type": "refusal", "refusal": part.text}
        elif part.text:
            yield {"type": "output_text", "text": part.text}


def written_parts(parts: Iterable[Part], path: str, losses: list[Loss]) -> Iterator[Json]:
    """Give the content of a message to the model."""
    for number, part in enumerate(parts):
        match part:
            case Text(text) | Refusal(text):
                if text:
                    yield {"type": "input_text", "text": text}
            case Image():
                yield _image(part)
            case Document():
                yield _file(part)
            case _:
                why = f"{type(part).__name__.lower()} in a message to the model"
                losses.append(Loss(f"{path}.parts[{number}]", why, grave=True))


def foreign_files(request: Request) -> Iterator[Loss]:
    """Give a loss for each file that another vendor keeps: its id means nothing here."""
    if request.dialect in ("chat", "responses"):
        return
    for number, message in enumerate(request.messages):
        for at, part in enumerate(message.parts):
            inner = part.parts if isinstance(part, Result) else (part,)
            if any(isinstance(each, Image | Document) and each.file_id for each in inner):
                path = f"messages[{number}].parts[{at}]"
                yield Loss(path, "a file that another vendor keeps", grave=True)


def output_of(result: Result, path: str, losses: list[Loss]) -> str | list[Json]:
    """Give a tool's output: a text where it is one, else parts."""
    parts = list(written_parts(result.parts, path, losses))
    if all(part["type"] == "input_text" for part in parts) and len(parts) < 2:
        return _marked("".join(part["text"] for part in parts), result.is_error)
    if result.is_error:
        if parts[0]["type"] == "input_text":
            parts[0] = {**parts[0], "text": _marked(parts[0]["text"], True)}
        else:
            parts.insert(0, {"type": "input_text", "text": _marked("", True)})
    return parts


def _marked(text: str, is_error: bool) -> str:
    """Say that it is an error, for which the dialect has no member, unless the text does."""
    if not is_error or _ERROR in text[:64].lower():
        return text
    return f"Error: {text}" if text else "Error"


def _image(part: Image) -> Json:
    detail = part.detail if part.detail in _DETAILS else "auto"
    if part.file_id:
        return {"type": "input_image", "detail": detail, "file_id": part.file_id}
    url = part.url or f"data:{part.media_type or 'image/png'};base64,{part.data}"
    return {"type": "input_image", "detail": detail, "image_url": url}


def _file(part: Document) -> Json:
    if part.text and not part.data:
        return {"type": "input_text", "text": f"{part.name}\n\n{part.text}".lstrip("\n")}
    if part.file_id:
        return {"type": "input_file", "file_id": part.file_id}
    if part.url:
        return {"type": "input_file", "file_url": part.url}
    media_type = part.media_type or "application/pdf"
    return {
        "type": "input_file",
        "filename": part.name or f"document{guess_extension(media_type) or '.pdf'}",
        "file_data": f"data:{media_type};base64,{part.data}",
    }
