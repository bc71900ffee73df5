"""Anthropic Messages as one side of a translation."""

from __future__ import annotations

from holdgate.core.dialects.translation.base import (
    ReplyReader,
    ReplyWriter,
    Target,
    Telling,
    Written,
)
from holdgate.core.dialects.translation.messages.answer_writer import write_answer
from holdgate.core.dialects.translation.messages.reply_reader import MessagesReader
from holdgate.core.dialects.translation.messages.reply_writer import MessagesWriter
from holdgate.core.dialects.translation.messages.request_reader import read_request
from holdgate.core.dialects.translation.messages.request_writer import write_request
from holdgate.core.values.inbound import Framing
from holdgate.core.values.neutral import Request
from holdgate.core.values.neutral_reply import Answer


class MessagesTranslator:
    """See base.Translator."""

    def read_request(self, body: bytes, model: str, framing: Framing) -> Request:
        """See base.Translator."""
        return read_request(body, model)

    def write_request(self, request: Request, target: Target) -> Written:
        """See base.Translator."""
        return write_request(request, target)

    def reply_reader(self, target: Target) -> ReplyReader:
        """See base.Translator."""
        return MessagesReader(target.origin)

    def reply_writer(self, telling: Telling) -> ReplyWriter:
        """See base.Translator."""
        return MessagesWriter(telling)

    def write_answer(self, answer: Answer, telling: Telling) -> bytes:
        """See base.Translator."""
        return write_answer(answer, telling)
