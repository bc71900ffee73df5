"""A value of a JSON object found and replaced in the bytes, with nothing else touched.

Vendors hash bodies and cache prompts by prefix: key order, spacing, big integers and escapes of a
relayed body must stay as the agent wrote them.
"""

from __future__ import annotations

import json
import re

import msgspec

_MODEL = re.compile(rb'"model"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")', re.S)
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]', re.S)


class _Model(msgspec.Struct):
    model: str = ""


_decoder = msgspec.json.Decoder(_Model)


def replace_model(body: bytes, new: str) -> bytes:
    """Give `body`, a JSON object with a member `model`, with that member's text replaced.

    Nested members and texts that look like it stay. Each guess is proved by reading the result
    back, since a scan of every token costs more than the whole relay of a 64 kB body.
    """
    if _decoder.decode(body).model == new:
        return body
    value = json.dumps(new, ensure_ascii=False).encode()
    matches = list(_MODEL.finditer(body))
    for match in (matches[:1] + matches[-1:]) if matches else ():
        changed = _splice(body, [match.span(1)], value)
        if _decoder.decode(changed).model == new:
            return changed
    return _splice(body, _top_level_spans(body, "model"), value)


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
