"""What a tool gave, as a Gemini agent tells it: a functionResponse."""

from __future__ import annotations

from holdgate.core.dialects.translation.gemini.looking import (
    Members,
    Raw,
    as_text,
    items,
    members,
    text,
)
from holdgate.core.dialects.translation.gemini.media import read_file, read_inline
from holdgate.core.values.neutral import Audio, Document, Image, Loss, Result, Text

# The first two are Google's words, the third is widely used; an object with other members beside
# them says something of its own and is told as it is.
_OUTPUTS = frozenset({"output", "result", "content"})


def read_response(found: Members, path: str, id: str, name: str) -> tuple[Result, tuple[Loss, ...]]:
    """Give the result of the call `id`, and what of it cannot be kept."""
    words, is_error = _said(found.get("response"), f"{path}.response")
    told: list[Text | Image | Document] = [Text(words)] if words else []
    losses: list[Loss] = []
    for at, one in enumerate(items(found.get("parts", Raw(b"[]")), f"{path}.parts")):
        inner = f"{path}.parts[{at}]"
        part = _media(members(one, inner), inner)
        if isinstance(part, Loss):
            losses.append(part)
        else:
            told.append(part)
    return Result(id, tuple(told), name, is_error), tuple(losses)


def _said(raw: Raw | None, path: str) -> tuple[str, bool]:
    """Give the text of a response, and whether it tells an error."""
    if raw is None:
        return "", False
    if bytes(raw).lstrip()[:1] != b"{":
        return _text(raw, path), False
    found = members(raw, path)
    if "error" in found and len(found) == 1:
        return _text(found["error"], path), True
    if len(found) == 1 and (only := next(iter(found))) in _OUTPUTS:
        return _text(found[only], path), False
    return ("" if not found else as_text(raw)), "error" in found


def _text(raw: Raw, path: str) -> str:
    """Give a text itself, and anything else as its JSON text."""
    return text(raw, path) if bytes(raw).lstrip()[:1] == b'"' else as_text(raw)


def _media(found: Members, path: str) -> Text | Image | Document | Loss:
    if "inlineData" in found:
        part = read_inline(members(found["inlineData"], path), f"{path}.inlineData")
        return Loss(path, "audio in a result", grave=True) if isinstance(part, Audio) else part
    if "fileData" in found:
        return read_file(members(found["fileData"], path), f"{path}.fileData")
    if "text" in found:
        return Text(text(found["text"], path))
    return Loss(path, "a kind of part that only Gemini knows")
