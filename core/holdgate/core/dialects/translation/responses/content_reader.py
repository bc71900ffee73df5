"""Parts of an agent's message or tool output, and their data URLs, understood."""

from __future__ import annotations

from collections.abc import Iterator

from holdgate.core.dialects.reading import Json, member, texts
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import Audio, Document, Image, Loss, Refusal, Text

Content = Text | Image | Document | Audio | Refusal
_TEXTS = frozenset({"input_text", "output_text", "text", "summary_text", "reasoning_text"})
_IMAGES = frozenset({"input_image", "image_url", "computer_screenshot"})


def fault(path: str, why: str) -> Fault:
    """Give the fault that a request is not of this dialect."""
    return Fault(FaultKind.REQUEST, f"{path}: {why}")


def read_content(value: object, path: str, losses: list[Loss]) -> tuple[Content, ...]:
    """Give the parts of a message's `content`. Raises Fault if it is neither text nor list."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (Text(value),)
    if not isinstance(value, list):
        raise fault(path, "must be a text or a list of parts")
    return tuple(_parts(value, path, losses))


def _parts(value: list[object], path: str, losses: list[Loss]) -> Iterator[Content]:
    for number, part in enumerate(value):
        here = f"{path}[{number}]"
        if isinstance(part, str):
            yield Text(part)
        elif isinstance(part, dict):
            found = _part(part, here, losses)
            if found is not None:
                yield found
        else:
            raise fault(here, "must be an object")


def _part(part: Json, path: str, losses: list[Loss]) -> Content | None:
    kind = texts(part.get("type"))
    if kind in _TEXTS or (not kind and "text" in part):
        return Text(_text(part, "text", path))
    if kind == "refusal":
        return Refusal(_text(part, "refusal", path))
    if kind in _IMAGES:
        return _image(part, path, losses)
    if kind == "input_file":
        return _file(part, path, losses)
    if kind == "input_audio":
        audio = member(part, "input_audio") or part
        return Audio(texts(member(audio, "data")), texts(member(audio, "format")))
    losses.append(Loss(path, f"a part of type {kind or 'unknown'}", grave=True))
    return None


def _text(part: Json, name: str, path: str) -> str:
    value = part.get(name)
    if value is None or isinstance(value, str):
        return value or ""
    raise fault(f"{path}.{name}", "must be a text")


def _image(part: Json, path: str, losses: list[Loss]) -> Image | None:
    url = part.get("image_url")
    url = texts(url) or texts(member(url, "url"))
    detail = texts(part.get("detail"))
    media_type, data = data_url(url)
    if data:
        return Image(media_type=media_type, data=data, detail=detail)
    file_id = texts(part.get("file_id"))
    if not url and not file_id:
        losses.append(Loss(path, "an image without any", grave=True))
        return None
    return Image(url=url, file_id="" if url else file_id, detail=detail)


def _file(part: Json, path: str, losses: list[Loss]) -> Document | None:
    name, given = texts(part.get("filename")), texts(part.get("file_data"))
    media_type, data = data_url(given)
    if data or given:
        # Some agents send bare base64.
        return Document(media_type=media_type or _media_type(name), data=data or given, name=name)
    url, file_id = texts(part.get("file_url")), texts(part.get("file_id"))
    if not url and not file_id:
        losses.append(Loss(path, "a file without any", grave=True))
        return None
    return Document(url=url, file_id="" if url else file_id, name=name)


def _media_type(name: str) -> str:
    return "text/plain" if name.lower().endswith((".txt", ".md", ".csv")) else "application/pdf"


def data_url(url: str) -> tuple[str, str]:
    """Give media type and base64 data of a data URL, two empty texts if it is none."""
    if url[:5].lower() != "data:":
        return "", ""
    head, comma, data = url[5:].partition(",")
    if not comma or not head.lower().endswith(";base64"):
        return "", ""
    return head.partition(";")[0].lower(), data


def read_output(
    value: object, path: str, losses: list[Loss]
) -> tuple[tuple[Text | Image | Document, ...], bool]:
    """Give the parts of a tool's output, and whether it says that the tool failed."""
    failed = False
    if isinstance(value, dict) and "content" in value:
        # Codex wrote it so once.
        failed = value.get("success") is False
        value = value["content"]
    if isinstance(value, dict):
        value = [value] if texts(value.get("type")) in _IMAGES else dumps(value).decode()
    elif isinstance(value, list) and not all(_is_part(part) for part in value):
        # What `shell` gave: objects with stdout and stderr.
        value = dumps(value).decode()
    elif value is not None and not isinstance(value, str | list):
        value = dumps(value).decode()
    parts: list[Text | Image | Document] = []
    for part in read_content(value, path, losses):
        match part:
            case Refusal(text):
                parts.append(Text(text))
            case Audio():
                losses.append(Loss(path, "audio in a tool's output", grave=True))
            case _:
                parts.append(part)
    return tuple(parts), failed


def _is_part(part: object) -> bool:
    return isinstance(part, str) or (isinstance(part, dict) and ("type" in part or "text" in part))
