"""The slot `thoughtSignature`: the agent's opaque text on a part, and the seals that ride in it.

Theory. Gemini's agents keep the signature of a part that calls or says something, but some (Gemini
CLI) drop thought parts from their history. So the seals of thinking ride on the next part that is
no thought. One slot then holds several seals: the wrapped ones one behind the other. White space
before its JSON tells what a seal belongs to: none, the part itself; a space, a piece of thinking
that came before; a tab, the same piece as the seal before it. The words of a signed piece ride
along, since its maker wants them unchanged.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode

import msgspec

from holdgate.core.values.neutral import Reasoning, Seal
from holdgate.core.values.seals import MARK, unwrap, wrap

# The Python SDK gives base64 back in the alphabet for URLs.
_STANDARD = str.maketrans("-_", "+/")
_MARK = b64decode(MARK)
_SEAL = re.compile(re.escape(_MARK) + rb"(?P<place>[ \t]?)", re.S)
OWN_KIND = "thought"
_SIGNED = "signature"
# No vendor's: the words of a piece of thinking.
_WORDS = "words"


class Slot(msgspec.Struct, frozen=True):
    """What was in a slot: seals of the part itself, and of the thinking before it."""

    own: tuple[Seal, ...] = ()
    thinking: tuple[Reasoning, ...] = ()


def packed(own: tuple[Seal, ...], thinking: tuple[Reasoning, ...] = ()) -> str:
    """Give the text for a slot, "" if there is nothing to put there."""
    if len(own) == 1 and not thinking:
        return wrap(own[0])
    told = [
        _bytes_of(seal, b"\t" if at else b" ")
        for piece in thinking
        for at, seal in enumerate(_riding(piece))
    ]
    told += (_bytes_of(seal, b"") for seal in own)
    return b64encode(b"".join(told)).decode()


def unpacked(text: str) -> Slot:
    """Give the seals in a slot; a text that was not packed here is the agent's own vendor's."""
    text = standard(text)
    if not text.startswith(MARK):
        return Slot(own=(Seal("/gemini", OWN_KIND, text),)) if text else Slot()
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        return Slot()  # it was cut on its way: nobody's any more
    own: list[Seal] = []
    thinking: list[list[Seal]] = []
    starts = list(_SEAL.finditer(data))
    ends = [match.start() for match in starts[1:]] + [len(data)]
    for match, end in zip(starts, ends, strict=True):
        seal = unwrap(b64encode(_MARK + data[match.end() : end]).decode())
        if seal is None:
            continue
        if not match["place"]:
            own.append(seal)
        elif match["place"] == b"\t" and thinking:
            thinking[-1].append(seal)
        else:
            thinking.append([seal])
    return Slot(tuple(own), tuple(map(_piece, thinking)))


def standard(data: str) -> str:
    """Give base64 in the standard alphabet and with its padding."""
    data = data.translate(_STANDARD)
    return data if len(data) % 4 == 0 else data + "=" * (-len(data) % 4)


def _riding(piece: Reasoning) -> tuple[Seal, ...]:
    is_signed = any(seal.kind == _SIGNED for seal in piece.seals)
    return ((Seal("", _WORDS, piece.text),) if piece.text and is_signed else ()) + piece.seals


def _piece(seals: list[Seal]) -> Reasoning:
    words = [seal for seal in seals if not seal.origin and seal.kind == _WORDS]
    own = tuple(seal for seal in seals if seal not in words)
    return Reasoning("".join(seal.value for seal in words), own)


def _bytes_of(seal: Seal, space: bytes) -> bytes:
    return _MARK + space + b64decode(wrap(seal))[len(_MARK) :]
