"""A whole reply as the JSON body that an agent gets which did not ask for a stream."""

from __future__ import annotations

from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.json_texts import escaped
from holdgate.core.dialects.translation.responses import output_items
from holdgate.core.dialects.translation.responses.carriers import Place, carry
from holdgate.core.dialects.translation.responses.output_items import Speech
from holdgate.core.dialects.translation.responses.own_tools import own_tools
from holdgate.core.dialects.translation.responses.response_object import ResponseObject, told_why
from holdgate.core.values.neutral import Call, Reasoning, Refusal, Seal, Text
from holdgate.core.values.neutral_reply import Answer


def write_answer(answer: Answer, telling: Telling) -> bytes:
    """See Translator.write_answer."""
    output = _Output(telling)
    for part in answer.parts:
        output.add(part)
    refused = any(isinstance(part, Refusal) for part in answer.parts)
    why = told_why(answer.why, refused=refused)
    return ResponseObject(telling).ended(why, output.items, answer.usage)


class _Output:
    """The items as they come together."""

    def __init__(self, telling: Telling) -> None:
        self.items: list[bytes] = []
        self._reply_id = telling.id
        self._own = own_tools(telling.request)

    def add(self, part: Text | Reasoning | Refusal | Call) -> None:
        match part:
            case Text(text, seals=seals):
                self._say("text", text)
                self._carry(seals, "text")
            case Refusal(text):
                self._say("refusal", text)
            case Reasoning(text, seals):
                shown = output_items.summary(escaped(text)) if text else b""
                if shown or seals:
                    sealed = carry(seals, "thought")
                    self.items.append(output_items.reasoning(self._id("rs"), shown, sealed))
            case Call():
                call_id = part.id or f"call_{self._reply_id}{len(self.items):03x}"
                self._carry(part.seals, "call", call_id)
                self._call(part, call_id)

    def _say(self, speech: Speech, text: str) -> None:
        if text:
            content = output_items.part(speech, escaped(text))
            self.items.append(output_items.message(self._id("msg"), "completed", content))

    def _call(self, call: Call, call_id: str) -> None:
        own = None if call.custom or call.namespace else self._own.get(call.name)
        if own is not None:
            self.items.append(own.call(self._id("fc"), "completed", call_id, call.arguments))
            return
        given = call.arguments if call.custom else call.arguments or "{}"
        self.items.append(
            output_items.call(
                self._id("ctc" if call.custom else "fc"),
                "completed",
                call_id,
                call.name,
                escaped(given),
                custom=call.custom,
                namespace=call.namespace,
            )
        )

    def _carry(self, seals: tuple[Seal, ...], place: Place, call_id: str = "") -> None:
        if seals:
            encrypted = carry(seals, place, call_id)
            self.items.append(output_items.reasoning(self._id("rs"), encrypted=encrypted))

    def _id(self, prefix: str) -> bytes:
        return escaped(f"{prefix}_{self._reply_id}{len(self.items):03x}")
