"""The conversation of a Gemini agent: contents and their parts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from holdgate.core.dialects.translation.gemini.looking import (
    Members,
    Raw,
    as_text,
    is_true,
    items,
    members,
    text,
    text_at,
    wrong,
)
from holdgate.core.dialects.translation.gemini.media import read_file, read_inline
from holdgate.core.dialects.translation.gemini.pairing import Pairing
from holdgate.core.dialects.translation.gemini.response_reader import read_response
from holdgate.core.dialects.translation.gemini.slots import Slot, unpacked
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import (
    Call,
    Loss,
    Message,
    Part,
    Reasoning,
    Result,
    Role,
    Seal,
    Text,
)

_ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "": "user",
        "user": "user",
        "function": "user",
        "tool": "user",
        "model": "assistant",
        "assistant": "assistant",
        "system": "system",
    }
)
# Members that a part may have beside what it says.
_BESIDE = frozenset({"thought", "thoughtSignature", "partMetadata"})
_TUNING = frozenset({"videoMetadata", "mediaResolution"})


class ContentReader:
    """Reads contents in their order; what cannot be kept is in `losses`."""

    def __init__(self) -> None:
        """Start before the first content."""
        self.losses: list[Loss] = []
        self._pairing = Pairing()

    def system(self, raw: Raw) -> Message | None:
        """Give the message of a systemInstruction: a text, a content, or parts."""
        path = "systemInstruction"
        if bytes(raw).lstrip()[:1] == b'"':
            parts: list[Part] = [Text(text(raw, path))]
        elif bytes(raw).lstrip()[:1] == b"[":
            parts = self._parts(raw, path, "0")
        else:
            found = members(raw, path)
            source = found.get("parts", raw if "text" in found else Raw(b"[]"))
            parts = self._parts(source, f"{path}.parts", "0")
        told = tuple(part for part in parts if isinstance(part, Text) and part.text)
        if not all(isinstance(part, Text) for part in parts):
            self._lose(path, "more than text", grave=True)
        return Message("system", told) if told else None

    def messages(self, raw: Raw) -> list[Message]:
        """Give the messages of `contents`."""
        return [
            message
            for at, one in enumerate(items(raw, "contents"))
            if (message := self._message(one, at)) is not None
        ]

    def _message(self, raw: Raw, at: int) -> Message | None:
        path = f"contents[{at}]"
        if bytes(raw).lstrip()[:1] == b'"':
            return Message("user", (Text(text(raw, path)),))
        found = members(raw, path)
        role = _ROLES.get(text_at(found, "role", path))
        if role is None:
            raise Fault(FaultKind.REQUEST, f"{path}.role: it is user, model or function")
        if role == "user":
            self._pairing.turned()
        parts = self._parts(found.get("parts", Raw(b"[]")), f"{path}.parts", str(at))
        if role == "user":
            parts.sort(key=lambda part: not isinstance(part, Result))
        elif role == "system":
            parts = [part for part in parts if isinstance(part, Text)]
        return Message(role, tuple(parts)) if parts else None

    def _parts(self, raw: Raw, path: str, place: str) -> list[Part]:
        told: list[Part] = []
        for at, one in enumerate(items(raw, path)):
            inner = f"{path}[{at}]"
            if bytes(one).lstrip()[:1] == b'"':
                told.append(Text(text(one, inner)))
            else:
                self._part(members(one, inner), inner, f"{place}_{at}", told)
        return told

    def _part(self, found: Members, path: str, place: str, told: list[Part]) -> None:
        """Add what one part says to `told`."""
        slot = unpacked(text_at(found, "thoughtSignature", path))
        if is_true(found, "thought"):
            words = text_at(found, "text", path)
            _think(told, words, slot.own)
        for piece in slot.thinking:
            _ride(told, piece)
        if is_true(found, "thought"):
            return
        for name in _TUNING & found.keys():
            self._lose(f"{path}.{name}", "means something only to Gemini")
        for name in found.keys() - _BESIDE - _TUNING:
            self._say(name, found[name], f"{path}.{name}", place, slot, told)
        if slot.own and found.keys() <= _BESIDE:
            told.append(Text("", seals=slot.own))

    def _say(
        self, name: str, raw: Raw, path: str, place: str, slot: Slot, told: list[Part]
    ) -> None:
        match name:
            case "text":
                told.append(Text(text(raw, path), seals=slot.own))
            case "functionCall":
                told.append(self._call(members(raw, path), path, place, slot.own))
            case "functionResponse":
                found = members(raw, path)
                id, tool = self._pairing.answered(
                    text_at(found, "id", path), text_at(found, "name", path), place
                )
                result, losses = read_response(found, path, id, tool)
                told.append(result)
                self.losses += losses
            case "inlineData":
                self._keep(read_inline(members(raw, path), path), told)
            case "fileData":
                self._keep(read_file(members(raw, path), path), told)
            case "executableCode" | "codeExecutionResult":
                told.append(Text(_run(members(raw, path), path)))
                self._lose(path, "code that Gemini ran, told as text")
            case _:
                self._lose(path, "a kind of part that only Gemini knows")

    def _call(self, found: Members, path: str, place: str, seals: tuple[Seal, ...]) -> Call:
        name = text_at(found, "name", path)
        if not name:
            raise wrong(f"{path}.name", "a name")
        arguments = found.get("args", Raw(b"{}"))
        members(arguments, f"{path}.args")
        id = self._pairing.called(text_at(found, "id", path), name, place)
        return Call(id, name, as_text(arguments), seals=seals)

    def _keep(self, found: Part | Loss, told: list[Part]) -> None:
        if isinstance(found, Loss):
            self.losses.append(found)
        else:
            told.append(found)

    def _lose(self, path: str, why: str, *, grave: bool = False) -> None:
        self.losses.append(Loss(path, why, grave))


def _think(told: list[Part], words: str, seals: tuple[Seal, ...]) -> None:
    """Add thinking; it goes on with the piece before, unless that one is sealed."""
    last = told[-1] if told else None
    if isinstance(last, Reasoning) and not last.seals:
        told[-1] = msgspec.structs.replace(last, text=last.text + words, seals=seals)
    elif words or seals:
        told.append(Reasoning(words, seals))


def _ride(told: list[Part], piece: Reasoning) -> None:
    """Add a sealed piece of thinking whose words the agent may have kept, too."""
    last = told[-1] if told else None
    if not isinstance(last, Reasoning) or last.seals:
        told.append(piece)
        return
    told.pop()
    before = last.text.removesuffix(piece.text) if piece.text else ""
    if before and before != last.text:
        told.append(Reasoning(before))
    told.append(Reasoning(piece.text or last.text, piece.seals))


def _run(found: Members, path: str) -> str:
    """Give the text of code that was run, or of what it gave."""
    if "code" in found:
        language = text_at(found, "language", path).lower()
        return f"```{language}\n{text_at(found, 'code', path)}\n```"
    return f"```\n{text_at(found, 'output', path)}\n```"
