"""The table of dialects: a new one is a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from holdgate.core.dialects.base import Dialect
from holdgate.core.dialects.chat import Chat
from holdgate.core.dialects.gemini import Gemini
from holdgate.core.dialects.messages import Messages
from holdgate.core.dialects.responses import Responses
from holdgate.core.values.names import DialectName

DIALECTS: Mapping[DialectName, Dialect] = MappingProxyType(
    {dialect.name: dialect for dialect in (Chat(), Responses(), Messages(), Gemini())}
)
