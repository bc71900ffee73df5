"""A reply's calls as the agent knows them: its own tools' names, free text of custom tools."""

from __future__ import annotations

from collections.abc import Mapping

from holdgate.core.dialects.translation.base import ToolRef
from holdgate.core.dialects.translation.custom_tools import FreeText
from holdgate.core.values.neutral_reply import CallBegan, CallDelta, CallEnded, Event


class Restorer:
    """A feed object: events with the names that the vendor was told in, the agent's out."""

    __slots__ = ("_names", "_texts")

    def __init__(self, names: Mapping[str, ToolRef]) -> None:
        """Restore the tools in `names`; others pass as they are."""
        self._names = names
        self._texts: dict[int, FreeText] = {}

    def restore(self, events: list[Event]) -> list[Event]:
        """Give `events` as the agent is to be told; the same list if there is nothing to do."""
        if not self._names:
            return events
        restored: list[Event] = []
        for event in events:
            match event:
                case CallBegan():
                    restored.append(self._began(event))
                case CallDelta(call, text) if call in self._texts:
                    if told := self._texts[call].feed(text):
                        restored.append(CallDelta(call, told))
                case CallEnded(call) if call in self._texts:
                    if told := self._texts.pop(call).close():
                        restored.append(CallDelta(call, told))
                    restored.append(event)
                case _:
                    restored.append(event)
        return restored

    def _began(self, event: CallBegan) -> CallBegan:
        ref = self._names.get(event.name)
        if ref is None or event.namespace:
            return event
        if ref.custom and not event.custom:
            self._texts[event.call] = FreeText()
        custom = ref.custom or event.custom
        return CallBegan(event.call, event.id, ref.name, custom, ref.namespace)
