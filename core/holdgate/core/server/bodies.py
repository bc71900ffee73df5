"""Request bodies: read once, as bytes, with every limit kept while they come."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.wire import encodings

# For a few options; what agents send may be far longer.
_OPTIONS_MOST = 1 << 16


async def read_body(request: web.BaseRequest, most: int) -> bytes:
    """Give a request's body, decompressed.

    `most`: bytes after decompression, 0 for no limit. Raises Fault: TOO_LARGE, MEDIA for an unknown
    encoding, REQUEST for a broken one.
    """
    if most and (request.content_length or 0) > most:
        raise _too_large(most)
    encoding = request.headers.get("Content-Encoding", "")
    _let_it_come(request)
    try:
        if encoding.strip().lower() in ("", "identity"):
            return await _read_plain(request, most)
        return await _read_encoded(request, encodings.decoder(encoding, most))
    except encodings.TooLarge:
        raise _too_large(most) from None
    except encodings.UnknownEncoding as error:
        raise Fault(
            FaultKind.MEDIA, f"{error}; gzip, deflate, br and zstd are understood"
        ) from error
    except encodings.BadEncoding as error:
        raise Fault(FaultKind.REQUEST, f"the request's body: {error}") from error


async def read_options(request: web.BaseRequest, allowed: tuple[str, ...]) -> dict[str, Any]:
    """Give a JSON object of optional keys; no body at all is an empty one.

    Raises Fault, REQUEST for anything else.
    """
    raw = await read_body(request, _OPTIONS_MOST)
    try:
        found = json.loads(raw) if raw.strip() else {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Fault(FaultKind.REQUEST, "the body must be a JSON object")
    for name in found:
        if name not in allowed:
            raise Fault(
                FaultKind.REQUEST, f"{name[:100]}: no such key; allowed: {', '.join(allowed)}"
            )
    return found


def _let_it_come(request: web.BaseRequest) -> None:
    """Answer `Expect: 100-continue`, now that the guard has let the caller in."""
    if request.headers.get("Expect", "").lower() == "100-continue" and request.transport:
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")


async def _read_plain(request: web.BaseRequest, most: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while not request.content.at_eof():
        piece = await request.content.readany()
        pieces.append(piece)
        size += len(piece)
        if most and size > most:
            raise _too_large(most)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


async def _read_encoded(request: web.BaseRequest, decoder: encodings.Decoder) -> bytes:
    pieces: list[bytes] = []
    while not request.content.at_eof():
        pieces.append(decoder.feed(await request.content.readany()))
    pieces.append(decoder.close())
    return b"".join(pieces)


def _too_large(most: int) -> Fault:
    return Fault(
        FaultKind.TOO_LARGE,
        f"the request's body is larger than {most:,} bytes, the limit of [server] max_body",
    )


def query_keys(request: web.BaseRequest) -> tuple[str, ...]:
    """Give the values of `?key=`, Gemini's old place for a key."""
    if "key" not in request.rel_url.raw_query_string:
        return ()
    return tuple(request.rel_url.query.getall("key", ()))
