"""How the fake vendor puts a reply on the wire, faults included."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import struct
import zlib
from collections.abc import Sequence
from typing import Literal

from aiohttp import web

from tests.fakes.vendor_replies import Chunk, Cut, Pause, Reply, Until
from tests.fakes.vendor_streams import dumps


def head(reply: Reply, kind: str) -> web.StreamResponse:
    """Give the status line and headers; those of the script win."""
    response = web.StreamResponse(status=reply.status)
    response.headers["Content-Type"] = kind
    if reply.encode:
        response.headers["Content-Encoding"] = reply.encode
    response.headers.update(reply.headers)
    return response


async def send_whole(request: web.Request, reply: Reply) -> web.StreamResponse:
    """Send a body in one piece."""
    if reply.text is not None:
        kind, body = "text/plain; charset=utf-8", reply.text.encode()
    else:
        kind, body = "application/json", dumps(reply.json).encode()
    response = head(reply, kind)
    body = gzip.compress(body) if reply.encode else body
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body)
    await response.write_eof()
    return response


class Ended(Exception):
    """The script ended the connection."""


async def send_stream(
    request: web.Request, reply: Reply, chunks: Sequence[Chunk]
) -> web.StreamResponse:
    """Send chunk after chunk, each as a write of its own. Raises Ended at a Cut."""
    response = head(reply, "text/event-stream")
    await response.prepare(request)
    # Each chunk can be decoded as soon as it came, compressed or not.
    packer = zlib.compressobj(wbits=31) if reply.encode else None
    for chunk in chunks:
        match chunk:
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Until(event):
                await event.wait()
            case Cut(how):
                await cut(request, how)
                raise Ended
            case bytes():
                packed = (
                    packer.compress(chunk) + packer.flush(zlib.Z_SYNC_FLUSH) if packer else chunk
                )
                await response.write(packed)
    await response.write_eof(packer.flush() if packer else b"")
    return response


async def cut(request: web.Request, how: Literal["reset", "close"]) -> None:
    """End the connection, after what was written has left."""
    transport = request.transport
    if transport is None:
        return
    for _ in range(1000):
        if not transport.get_write_buffer_size():
            break
        await asyncio.sleep(0)
    if how == "close":
        transport.close()
        return
    with contextlib.suppress(OSError):
        linger = struct.pack("ii", 1, 0)  # a close with unsent time 0 is a reset
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    transport.abort()
