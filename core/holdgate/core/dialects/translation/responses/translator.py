"""The readers and writers of the dialect `responses`, as one translator."""

from __future__ import annotations

from holdgate.core.dialects.translation.base import (
    ReplyReader,
    ReplyWriter,
    Target,
    Telling,
    Written,
)
from holdgate.core.dialects.translation.responses.answer_writer import write_answer
from holdgate.core.dialects.translation.responses.reply_reader import ResponsesReplyReader
from holdgate.core.dialects.translation.responses.reply_writer import ResponsesReplyWriter
from holdgate.core.dialects.translation.responses.request_reader import read_request
from holdgate.core.dialects.translation.responses.request_writer import write_request
from holdgate.core.values.inbound import Framing
from holdgate.core.values.neutral import Request
from holdgate.core.values.neutral_reply import Answer


class ResponsesTranslator:
    """See base.Translator. Source: OpenAI API reference, Responses."""

    def read_request(self, body: bytes, model: str, framing: Framing) -> Request:
        """See Translator.read_request."""
        return read_request(body, model)

    def write_request(self, request: Request, target: Target) -> Written:
        """See Translator.write_request."""
        return write_request(request, target)

    def reply_reader(self, target: Target) -> ReplyReader:
        """See Translator.reply_reader."""
        return ResponsesReplyReader(target.origin)

    def reply_writer(self, telling: Telling) -> ReplyWriter:
        """See Translator.reply_writer."""
        return ResponsesReplyWriter(telling)

    def write_answer(self, answer: Answer, telling: Telling) -> bytes:
        """See Translator.write_answer."""
        return write_answer(answer, telling)
