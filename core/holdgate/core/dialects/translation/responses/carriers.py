"""Reasoning items as carriers: how seals ride through an agent that speaks `responses`.

Its one slot for opaque values is a reasoning item's `encrypted_content`. One seal of a thought
rides there as it is; several of them, and seals of calls and texts, ride together in an item that
says what they belong to: the call with an id, or the text before it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from holdgate.core.values.neutral import Seal
from holdgate.core.values.seals import unwrap, wrap

Place = Literal["thought", "call", "text"]
# No vendor's seal has a space in its kind.
_KIND = "seals of a "
_PLACES: tuple[Place, ...] = ("thought", "call", "text")
_KINDS = {_KIND + place: place for place in _PLACES}
_decoder = msgspec.json.Decoder(list[tuple[str, str, str, str]])


class Carried(msgspec.Struct, frozen=True):
    """Seals that rode in an item, and what they belong to."""

    seals: tuple[Seal, ...] = ()
    place: Place = "thought"
    call_id: str = ""


def carry(seals: tuple[Seal, ...], place: Place, call_id: str = "") -> str:
    """Give the `encrypted_content` in which `seals` ride; "" without any."""
    if not seals:
        return ""
    if len(seals) == 1 and place == "thought":
        return wrap(seals[0])
    fields = [(seal.origin, seal.kind, seal.value, seal.id) for seal in seals]
    return wrap(Seal("", _KIND + place, msgspec.json.encode(fields).decode(), call_id))


def carried(text: str, id: str = "") -> Carried:
    """Give what rides in an `encrypted_content`.

    What was not wrapped here is the agent's own vendor's; `id` is that of its item.
    """
    seal = unwrap(text)
    if seal is None:
        return Carried((Seal("/responses", "encrypted", text, id),))
    place = _KINDS.get(seal.kind)
    if place is None:
        return Carried((seal,))
    try:
        found = _decoder.decode(seal.value)
    except msgspec.DecodeError:
        return Carried((), place, seal.id)
    return Carried(tuple(Seal(*fields) for fields in found), place, seal.id)
