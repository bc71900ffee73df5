"""Where seals ride through a Messages agent: in its thinking blocks, the only slots that it has.

A thought's own seal is its `signature`; one that hides the thought is a redacted block. A seal that
belongs elsewhere (Gemini signs calls and texts, some vendors sign a thought twice) rides in a
redacted block beside its place, within an envelope: a seal without origin that names the place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from holdgate.core.dialects.reading import Json
from holdgate.core.values.neutral import Call, Part, Reasoning, Seal, Text
from holdgate.core.values.seals import unwrap, wrap

AGENTS = "/messages"
Place = Literal["call", "text", "thought"]


class Passenger(msgspec.Struct, frozen=True):
    """A seal and the place that it belongs to; `call`: the id of its call."""

    place: str
    call: str
    seal: Seal


def seal_in(slot: str, kind: str) -> Seal:
    """Give the seal in an agent's slot; what was not wrapped here is of the agent's own vendor."""
    return unwrap(slot) or Seal(AGENTS, kind, slot)


def passenger_in(seal: Seal) -> Passenger | None:
    """Give who sits in an envelope; None if the seal is none."""
    inner = unwrap(seal.value) if not seal.origin else None
    return None if inner is None else Passenger(seal.kind, seal.id, inner)


def hides(seal: Seal) -> bool:
    """Tell whether the seal stands for a thought that nobody may read."""
    return seal.kind == "redacted"


def redacted_block(seal: Seal) -> Json:
    """Give the block that a seal of its own rides in."""
    return {"type": "redacted_thinking", "data": wrap(seal)}


def envelope_block(seal: Seal, place: Place, call: str = "") -> Json:
    """Give the block in which a seal rides that belongs elsewhere."""
    return redacted_block(Seal("", place, wrap(seal), call))


def thought_slots(seals: tuple[Seal, ...]) -> tuple[Seal | None, list[Json]]:
    """Give the seal that signs a thought, and the blocks that follow it."""
    signing = next((seal for seal in seals if not hides(seal)), None)
    others = [seal for seal in seals if seal is not signing]
    return signing, [
        redacted_block(seal) if hides(seal) else envelope_block(seal, "thought") for seal in others
    ]


def seated(parts: list[Part | Passenger]) -> Iterator[Part]:
    """Give the parts of a turn, each with the seals that rode beside it."""
    calls: dict[str, list[Seal]] = {}
    placed: list[tuple[Part, list[Seal]]] = []
    for part in parts:
        if not isinstance(part, Passenger):
            placed.append((part, []))
        elif part.place == "call":
            calls.setdefault(part.call, []).append(part.seal)
        else:
            kind = Text if part.place == "text" else Reasoning
            _place_of(placed, kind).append(part.seal)
    for part, seals in placed:
        if isinstance(part, Call):
            seals = [*seals, *calls.pop(part.id, ())]
        yield _with(part, seals) if seals else part


def _place_of(placed: list[tuple[Part, list[Seal]]], kind: type[Text | Reasoning]) -> list[Seal]:
    """Give the seals of the last part of a kind; a seal whose part is gone gets one for itself."""
    for part, seals in reversed(placed):
        if isinstance(part, kind):
            return seals
    placed.append((Text("") if kind is Text else Reasoning(), []))
    return placed[-1][1]


def _with(part: Part, seals: list[Seal]) -> Part:
    if isinstance(part, Text | Call | Reasoning):
        return msgspec.structs.replace(part, seals=(*part.seals, *seals))
    return part
