"""An agent's request as the gateway understands it before it is sent anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from holdgate.core.values.caller import Caller
from holdgate.core.values.names import DialectName

Task = Literal["generate", "count_tokens", "embeddings"]
# How the reply is framed: one JSON object, an event stream, or Gemini's JSON array.
Framing = Literal["whole", "sse", "array"]
Headers = tuple[tuple[str, str], ...]


class Inbound(msgspec.Struct, frozen=True, gc=False):
    """A request that may be relayed.

    `body` is the JSON text as the agent wrote it (decompressed), `headers` the agent's own with
    lower-case names, keys and hop-by-hop ones already left out; `query` what follows the question
    mark, without any key.
    """

    id: str
    caller: Caller
    conversation: str
    dialect: DialectName
    task: Task
    model: str
    framing: Framing
    body: bytes
    headers: Headers
    query: str

    @property
    def streamed(self) -> bool:
        """Whether the agent asked for a stream."""
        return self.framing != "whole"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Provider, key and model that may answer a request, by name.

    `vendor_model` is what the vendor is asked for; `dialect` what the provider is spoken to in;
    `context` the tokens that fit in and `output` those of the longest reply, 0 where that is not
    known.
    """

    provider: str
    key: str
    model: str
    vendor_model: str
    dialect: DialectName
    context: int = 0
    output: int = 0

    @property
    def lane(self) -> tuple[str, str]:
        """The lane in front of this candidate's key."""
        return (self.provider, self.key)
