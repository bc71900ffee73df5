"""Items of a reply told as events, one item after the other.

Each story begins with `output_item.added` and ends with `output_item.done`; in between, what the
item says grows. Events are numbered when they are told.
"""

from __future__ import annotations

from typing import Protocol

from holdgate.core.dialects.translation.json_texts import escaped
from holdgate.core.dialects.translation.responses import output_items
from holdgate.core.dialects.translation.responses.output_items import Speech, Status
from holdgate.core.dialects.translation.responses.own_tools import OwnTool
from holdgate.core.values.neutral_reply import CallBegan


class Numbered:
    """Tells events with rising numbers, and keeps the items that are complete."""

    __slots__ = ("_told", "output", "sequence")

    def __init__(self) -> None:
        """Start before the first event."""
        self.sequence = 0
        self.output: list[bytes] = []
        self._told: list[bytes] = []

    def tell(self, kind: bytes, members: bytes) -> None:
        """Tell an event; `members`: the JSON of its own members, with a comma in front."""
        self._told.append(
            b'event: %b\ndata: {"type":"%b","sequence_number":%d%b}\n\n'
            % (kind, kind, self.sequence, members)
        )
        self.sequence += 1

    def delta(self, head: bytes, text: bytes) -> None:
        """Tell a piece; `head` ends before the event's number."""
        self._told.append(b'%b%d,"delta":%b}\n\n' % (head, self.sequence, text))
        self.sequence += 1

    def taken(self) -> bytes:
        """Give what was told since the last time."""
        told = b"".join(self._told)
        self._told.clear()
        return told


class Story(Protocol):
    """An item that is being told."""

    def say(self, text: str) -> None:
        """Tell a piece of what it says."""
        ...

    def end(self, status: Status, sealed: str = "") -> None:
        """Tell its end."""
        ...


class _Spoken:
    """What all stories with a growing text have in common."""

    __slots__ = ("_at", "_head", "_item_id", "_out", "_pieces")

    def __init__(self, out: Numbered, id: str, begun: bytes, kind: bytes, part: bytes) -> None:
        """Tell that the item begins; `part`: more members of its deltas."""
        self._out = out
        self._pieces: list[bytes] = []
        self._item_id = escaped(id)
        index = b"%d" % len(out.output)
        self._at = b',"item_id":%b,"output_index":%b' % (self._item_id, index) + part
        self._head = b'event: %b\ndata: {"type":"%b"%b,"sequence_number":' % (
            kind,
            kind,
            self._at,
        )
        added = b',"output_index":%b,"item":%b' % (index, begun)
        out.tell(b"response.output_item.added", added)

    def say(self, text: str) -> None:
        """See Story.say."""
        said = escaped(text)
        self._pieces.append(said[1:-1])
        self._out.delta(self._head, said)

    def _whole(self) -> bytes:
        return b'"' + b"".join(self._pieces) + b'"'

    def _done(self, item: bytes) -> None:
        index = len(self._out.output)
        self._out.output.append(item)
        done = b',"output_index":%d,"item":%b' % (index, item)
        self._out.tell(b"response.output_item.done", done)


class MessageStory(_Spoken):
    """A message with one part, text or refusal."""

    __slots__ = ("_logs", "_name", "_speech")

    def __init__(self, out: Numbered, id: str, speech: Speech) -> None:
        """Tell that it begins."""
        self._speech = speech
        self._name = b"response.output_text" if speech == "text" else b"response.refusal"
        self._logs = b',"logprobs":[]' if speech == "text" else b""
        begun = output_items.message(escaped(id), "in_progress")
        place = b',"content_index":0'
        super().__init__(out, id, begun, self._name + b".delta", place + self._logs)
        self._at = self._at.removesuffix(self._logs)
        out.tell(b"response.content_part.added", self._part(b'""'))

    def end(self, status: Status, sealed: str = "") -> None:
        """See Story.end."""
        whole, member = self._whole(), self._speech.encode()
        told = b'%b,"%b":%b%b' % (self._at, member, whole, self._logs)
        self._out.tell(self._name + b".done", told)
        self._out.tell(b"response.content_part.done", self._part(whole))
        content = output_items.part(self._speech, whole)
        self._done(output_items.message(self._item_id, status, content))

    def _part(self, text: bytes) -> bytes:
        return self._at + b',"part":' + output_items.part(self._speech, text)


class ThoughtStory(_Spoken):
    """A reasoning item with one part of summary, or with none."""

    __slots__ = ()

    def __init__(self, out: Numbered, id: str) -> None:
        """Tell that it begins."""
        begun = output_items.reasoning(escaped(id))
        kind = b"response.reasoning_summary_text.delta"
        super().__init__(out, id, begun, kind, b',"summary_index":0')

    def say(self, text: str) -> None:
        """See Story.say."""
        if not self._pieces:
            self._out.tell(b"response.reasoning_summary_part.added", self._part(b'""'))
        super().say(text)

    def end(self, status: Status, sealed: str = "") -> None:
        """See Story.end."""
        parts = b""
        if self._pieces:
            whole = self._whole()
            parts = output_items.summary(whole)
            told = self._at + b',"text":' + whole
            self._out.tell(b"response.reasoning_summary_text.done", told)
            self._out.tell(b"response.reasoning_summary_part.done", self._part(whole))
        self._done(output_items.reasoning(self._item_id, parts, sealed))

    def _part(self, text: bytes) -> bytes:
        return self._at + b',"part":' + output_items.summary(text)


class CallStory(_Spoken):
    """A call of a function or of a custom tool."""

    __slots__ = ("_call", "_name")

    def __init__(self, out: Numbered, id: str, call: CallBegan) -> None:
        """Tell that it begins."""
        self._call = call
        own = b"custom_tool_call_input" if call.custom else b"function_call_arguments"
        self._name = b"response." + own
        begun = self._item("in_progress", b'""', escaped(id))
        super().__init__(out, id, begun, self._name + b".delta", b"")

    def end(self, status: Status, sealed: str = "") -> None:
        """See Story.end."""
        if not self._pieces and not self._call.custom:
            # Arguments are always the text of an object.
            self.say("{}")
        whole = self._whole()
        member = b"input" if self._call.custom else b"arguments"
        named = b"" if self._call.custom else b',"name":' + escaped(self._call.name)
        self._out.tell(self._name + b".done", b'%b%b,"%b":%b' % (self._at, named, member, whole))
        self._done(self._item(status, whole, self._item_id))

    def _item(self, status: Status, given: bytes, id: bytes) -> bytes:
        call = self._call
        return output_items.call(
            id,
            status,
            call.id,
            call.name,
            given,
            custom=call.custom,
            namespace=call.namespace,
        )


class OwnCallStory:
    """A call of a tool that the dialect itself defines: it has no deltas."""

    __slots__ = ("_call_id", "_id", "_out", "_own", "_pieces")

    def __init__(self, out: Numbered, id: str, call_id: str, own: OwnTool) -> None:
        """Tell that it begins."""
        self._out, self._id, self._call_id, self._own = out, escaped(id), call_id, own
        self._pieces: list[str] = []
        self._tell(b"response.output_item.added", own.call(self._id, "in_progress", call_id, ""))

    def say(self, text: str) -> None:
        """See Story.say."""
        self._pieces.append(text)

    def end(self, status: Status, sealed: str = "") -> None:
        """See Story.end."""
        item = self._own.call(self._id, status, self._call_id, "".join(self._pieces))
        self._tell(b"response.output_item.done", item)
        self._out.output.append(item)

    def _tell(self, kind: bytes, item: bytes) -> None:
        self._out.tell(kind, b',"output_index":%d,"item":%b' % (len(self._out.output), item))
