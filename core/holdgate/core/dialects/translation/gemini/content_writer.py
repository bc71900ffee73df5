"""The conversation for Gemini: a system instruction, and contents that take turns.

Theory. Settled messages already have their results first and in order. What is left: Gemini knows
`user` and `model` only, so a system message late in the conversation is told by the user within
`<system-reminder>`; the first content is the user's; neighbours of one role are one content.
Signatures stand where they came from: on the call or text itself, or on a thought part where the
agent kept them there. An agent that has no slot on calls gives them back before the call: then
the seal's id tells which call it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import assert_never

import msgspec

from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.custom_tools import as_arguments
from holdgate.core.dialects.translation.gemini.arguments import as_object
from holdgate.core.dialects.translation.gemini.media import write_media
from holdgate.core.dialects.translation.gemini.models import abilities_of
from holdgate.core.dialects.translation.gemini.slots import OWN_KIND
from holdgate.core.dialects.translation.tool_names import ToolNames
from holdgate.core.values.neutral import (
    Audio,
    Call,
    Document,
    Image,
    Loss,
    Message,
    Reasoning,
    Refusal,
    Result,
    Seal,
    Text,
)

_Json = dict[str, object]
_ROLES: Mapping[str, str] = MappingProxyType({"assistant": "model"})
# A quirk. Models from Gemini 3 on refuse a call of the current turn that has no signature. For
# calls of other vendors' models Google documents this word in its place (docs, "Thought
# signatures", FAQ): it is no signature and passes for none.
NO_PROOF = "unsigned_calls_are_marked"
_NO_PROOF = "skip_thought_signature_validator"
_OPENING: _Json = {"role": "user", "parts": [{"text": "..."}]}


class ContentWriter:
    """Writes settled messages; what cannot be said is in `losses`."""

    def __init__(self, target: Target, names: ToolNames) -> None:
        """Take whom the messages are for, and what its tools are called there."""
        self.losses: list[Loss] = []
        self._able = abilities_of(target.model)
        self._origin = target.origin
        self._names = names
        self._asks_no_proof = NO_PROOF in target.quirks and bool(self._able.levels)
        self._called: dict[str, str] = {}

    def write(self, messages: tuple[Message, ...]) -> tuple[_Json | None, list[_Json]]:
        """Give the system instruction, and the contents."""
        first = next((at for at, one in enumerate(messages) if not _is_system(one)), len(messages))
        system = [part for one in messages[:first] for part in self._texts(one)]
        contents: list[_Json] = []
        for at, message in enumerate(messages[first:], first):
            role = _ROLES.get(message.role, "user")
            path = f"messages[{at}]"
            parts = self._reminders(message) if _is_system(message) else self._parts(message, path)
            if not parts:
                continue
            before = contents[-1]["parts"] if contents else None
            if isinstance(before, list) and contents[-1]["role"] == role:
                before += parts
            else:
                contents.append({"role": role, "parts": parts})
        if not contents and system:
            return None, [{"role": "user", "parts": system}]
        if not contents or contents[0]["role"] != "user":
            contents.insert(0, _OPENING)
        return ({"parts": system} if system else None), contents

    def _texts(self, message: Message) -> list[_Json]:
        texts = [part.text for part in message.parts if isinstance(part, Text) and part.text]
        if any(not isinstance(part, Text) for part in message.parts):
            self.losses.append(Loss("system", "more than text", grave=True))
        return [{"text": text} for text in texts]

    def _reminders(self, message: Message) -> list[_Json]:
        return [
            {"text": f"<system-reminder>\n{one['text']}\n</system-reminder>"}
            for one in self._texts(message)
        ]

    def _parts(self, message: Message, path: str) -> list[_Json]:
        told: list[_Json] = []
        media: list[_Json] = []
        held: list[tuple[int, Seal]] = []
        for at, part in enumerate(message.parts):
            inner = f"{path}.parts[{at}]"
            match part:
                case Result():
                    told.append(self._result(part, inner, media))
                case Reasoning():
                    told += self._reasoning(part, message)
                    held += [(len(told), seal) for seal in self._held(part, message)]
                case Call():
                    told.append(self._call(part, inner))
                case Image() | Document() | Audio():
                    told += self._media(part, inner)
                case Text() | Refusal():
                    told += self._text(part)
                case _:
                    assert_never(part)
        if media:
            # Behind the last response: nothing may stand between them.
            last = max(at for at, one in enumerate(told) if "functionResponse" in one)
            told[last + 1 : last + 1] = media
        for at, seal in held:
            _sign(told, at, seal)
        if self._asks_no_proof:
            _ask_no_proof(told)
        return told

    def _text(self, part: Text | Refusal) -> list[_Json]:
        own = self._own(part.seals) if isinstance(part, Text) else []
        if not part.text and not own:
            return []
        return [{"text": part.text} | _signed(own)]

    def _call(self, part: Call, path: str) -> _Json:
        name = self._names.told(part.name, part.namespace)
        self._called[part.id] = name
        text = as_arguments(part.arguments) if part.custom else part.arguments
        arguments, is_object = as_object(text)
        if not is_object:
            self.losses.append(Loss(f"{path}.arguments", "no JSON object, told within one"))
        told: _Json = {"name": name, "args": msgspec.Raw(arguments)}
        if part.id:
            told["id"] = part.id
        return {"functionCall": told} | _signed(self._own(part.seals))

    def _result(self, part: Result, path: str, media: list[_Json]) -> _Json:
        name = self._called.get(part.call_id) or self._names.told(part.name)
        texts = [one.text for one in part.parts if isinstance(one, Text)]
        # A list, since several texts stood apart; one text is what Google's examples have.
        told: _Json = {
            "name": name,
            "response": {"error" if part.is_error else "output": "\n".join(texts)},
        }
        if part.call_id:
            told["id"] = part.call_id
        seen = [
            one
            for inner in part.parts
            if not isinstance(inner, Text)
            for one in self._media(inner, path)
        ]
        if self._able.media_in_results and all("inlineData" in one for one in seen):
            return {"functionResponse": told | ({"parts": seen} if seen else {})}
        if seen:
            media.append({"text": f"[from the result of {name}]"})
            media += seen
        return {"functionResponse": told}

    def _media(self, part: Image | Document | Audio, path: str) -> list[_Json]:
        found = write_media(part, self._able, path)
        if isinstance(found, Loss):
            self.losses.append(found)
            return []
        return [found]

    def _reasoning(self, part: Reasoning, message: Message) -> list[_Json]:
        """Give a thought part if it is signed itself: other thinking says nothing to Gemini."""
        held = self._held(part, message)
        own = [seal for seal in self._own(part.seals) if seal not in held]
        if not own:
            return []
        return [{"text": part.text, "thought": True, "thoughtSignature": own[-1].value}]

    def _held(self, part: Reasoning, message: Message) -> list[Seal]:
        """Give the seals that belong to another part, which cannot be the one without words."""
        own = self._own(part.seals)
        if not part.text:
            return own
        ids = {one.id for one in message.parts if isinstance(one, Call)}
        return [seal for seal in own if seal.id and seal.id in ids]

    def _own(self, seals: tuple[Seal, ...]) -> list[Seal]:
        return [
            seal
            for seal in seals
            if seal.origin == self._origin and seal.kind == OWN_KIND and seal.value
        ]


def _signed(own: list[Seal]) -> _Json:
    """Give the signature of a part: there is one slot."""
    return {"thoughtSignature": own[-1].value} if own else {}


def _sign(told: list[_Json], at: int, seal: Seal) -> None:
    """Put a seal on the call that it names, else on the next part that can bear it."""
    free = [one for one in told if "thoughtSignature" not in one and "thought" not in one]
    named = [one for one in free if seal.id and _id_of(one) == seal.id]
    behind = [one for one in told[at:] if one in free and ("text" in one or "functionCall" in one)]
    if not named and not behind:
        told.append({"text": "", "thoughtSignature": seal.value})
    else:
        (named or behind)[0]["thoughtSignature"] = seal.value


def _ask_no_proof(told: list[_Json]) -> None:
    """Mark the first call as one that has no signature, since another vendor's model made it."""
    first = next((one for one in told if "functionCall" in one), None)
    if first is not None and "thoughtSignature" not in first:
        first["thoughtSignature"] = _NO_PROOF


def _id_of(part: _Json) -> object:
    call = part.get("functionCall")
    return call.get("id") if isinstance(call, dict) else None


def _is_system(message: Message) -> bool:
    return message.role in ("system", "developer")
