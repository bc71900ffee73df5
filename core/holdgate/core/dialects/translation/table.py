"""The translators by the names of their dialects."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from holdgate.core.dialects.translation.base import Translator
from holdgate.core.dialects.translation.chat.translator import ChatTranslator
from holdgate.core.dialects.translation.gemini.translator import GeminiTranslator
from holdgate.core.dialects.translation.messages.translator import MessagesTranslator
from holdgate.core.dialects.translation.responses.translator import ResponsesTranslator
from holdgate.core.values.names import DialectName

TRANSLATORS: Mapping[DialectName, Translator] = MappingProxyType(
    {
        "chat": ChatTranslator(),
        "responses": ResponsesTranslator(),
        "messages": MessagesTranslator(),
        "gemini": GeminiTranslator(),
    }
)
