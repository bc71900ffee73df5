"""The dialect gemini for translation: its readers and writers in one place."""

from __future__ import annotations

from holdgate.core.dialects.translation.base import Target, Telling, Written
from holdgate.core.dialects.translation.gemini.answer_writer import write_answer
from holdgate.core.dialects.translation.gemini.reply_reader import GeminiReplyReader
from holdgate.core.dialects.translation.gemini.reply_writer import GeminiReplyWriter
from holdgate.core.dialects.translation.gemini.request_reader import read_request
from holdgate.core.dialects.translation.gemini.request_writer import write_request
from holdgate.core.values.inbound import Framing
from holdgate.core.values.neutral import Request
from holdgate.core.values.neutral_reply import Answer


class GeminiTranslator:
    """See base.Translator. Source: Gemini API reference, generateContent."""

    def read_request(self, body: bytes, model: str, framing: Framing) -> Request:
        """See Translator.read_request. The framing stands in the path, the body knows none."""
        return read_request(body, model)

    def write_request(self, request: Request, target: Target) -> Written:
        """See Translator.write_request."""
        return write_request(request, target)

    def reply_reader(self, target: Target) -> GeminiReplyReader:
        """See Translator.reply_reader."""
        return GeminiReplyReader(target)

    def reply_writer(self, telling: Telling) -> GeminiReplyWriter:
        """See Translator.reply_writer."""
        return GeminiReplyWriter(telling)

    def write_answer(self, answer: Answer, telling: Telling) -> bytes:
        """See Translator.write_answer."""
        return write_answer(answer, telling)
