"""A value of a JSON object found and replaced in the bytes, with nothing else touched.

Vendors hash bodies and cache prompts by prefix: key order, spacing, big integers and escapes of a
relayed body must stay as the agent wrote them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

_MODEL = re.compile(rb'"model"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")', re.S)
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]', re.S)


class _Model(msgspec.Struct):
    model: str = ""


_decoder = msgspec.json.Decoder(_Model)


def replace_model(body: bytes, new: str, old: str | None = None) -> bytes:
    """Give `body`, a JSON object with a member `model`, with that member's text replaced.

    `old`: what it is now, where that is known. Nearly all agents write it near one of the ends.
    Nested members and texts that look like it stay. Each guess is proved by reading the result
    back, since a scan of every token costs more than the whole relay of a 64 kB body.
    """
    if (_decoder.decode(body).model if old is None else old) == new:
        return body
    value = json.dumps(new, ensure_ascii=False).encode()
    for span in _guesses(body):
        changed = _splice(body, [span], value)
        if _decoder.decode(changed).model == new:
            return changed
    return _splice(body, _top_level_spans(body, "model"), value)


def _guesses(body: bytes) -> Iterator[tuple[int, int]]:
    """Give where the model's text may stand: the first thing that looks like it, then the last."""
    first = _MODEL.search(body)
    if first is None:
        return
    yield first.span(1)
    if later := list(_MODEL.finditer(body, first.end())):
        yield later[-1].span(1)


def _splice(body: bytes, spans: list[tuple[int, int]], value: bytes) -> bytes:
    for start, end in reversed(spans):
        body = body[:start] + value + body[end:]
    return body


def _top_level_spans(body: bytes, name: str) -> list[tuple[int, int]]:
    """Give the spans of the texts that are values of top-level members called `name`."""
    spans: list[tuple[int, int]] = []
    depth = 0
    key: str | None = None
    after_colon = False
    for match in _TOKEN.finditer(body):
        token = match[0]
        if token in b"{[":
            depth += 1
        elif token in b"}]":
            depth -= 1
        elif depth != 1:
            continue
        elif token == b":":
            after_colon = True
        elif token == b",":
            key, after_colon = None, False
        elif not after_colon:
            key = json.loads(token)
        elif key == name:
            spans.append(match.span())
    return spans
