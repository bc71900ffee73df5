"""A raw HTTP/1.1 client for tests: it keeps the exact bytes, and it can misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import socket
import struct
import sys
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Self
from urllib.parse import urlsplit

import brotli  # type: ignore[import-untyped]

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Encoding = Literal["", "gzip", "deflate", "br", "zstd"]
Ended = Literal["", "whole", "cut", "reset", "hung up"]
Body = bytes | Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Upload:
    """What is sent. `host` None is the URL's; "" leaves the header out.

    `pieces`: the body in a chunked upload, cut so. `expect`: wait for 100 Continue before the
    body. `target` replaces the path and query of the URL as it stands.
    """

    method: str = "POST"
    body: Body = b""
    headers: Mapping[str, str] | Sequence[tuple[str, str]] = ()
    host: str | None = None
    encode: Encoding = ""
    pieces: int = 0
    expect: bool = False
    target: str | None = None

    def payload(self) -> bytes:
        """Give the body's bytes as they are sent."""
        body = self.body if isinstance(self.body, bytes) else json.dumps(dict(self.body)).encode()
        return packed(body, self.encode)

    def head(self, url: str, length: int) -> bytes:
        """Give the request line and the headers."""
        parts = urlsplit(url)
        target = self.target or (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        host = parts.netloc if self.host is None else self.host
        pairs = self.headers.items() if isinstance(self.headers, Mapping) else self.headers
        lines = [f"{self.method} {target} HTTP/1.1"]
        lines += [f"Host: {host}"] if host else []
        lines += [f"{name}: {text}" for name, text in pairs]
        named = {name.lower() for name, _ in pairs}
        if isinstance(self.body, Mapping) and "content-type" not in named:
            lines.append("Content-Type: application/json")
        if self.encode:
            lines.append(f"Content-Encoding: {self.encode}")
        if self.pieces:
            lines.append("Transfer-Encoding: chunked")
        elif length or self.method != "GET":
            lines.append(f"Content-Length: {length}")
        lines += ["Expect: 100-continue"] if self.expect else []
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


@dataclass(slots=True)
class RawReply:
    """A reply as it came.

    `body` is without the framing of chunks, `chunks` are the HTTP chunks (or reads, of a body that
    is not chunked), `times` when each came by the loop's clock. `ended`: "whole"; "cut": the
    connection closed in mid-body; "reset"; "hung up": by this client. `continued`: 100 Continue
    came before.
    """

    status: int
    headers: list[tuple[str, str]]
    chunks: list[bytes] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    ended: Ended = ""
    continued: bool = False

    @property
    def body(self) -> bytes:
        """All that came of the body so far."""
        return b"".join(self.chunks)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[tuple[str, str]]:
        """The server-sent events of the body: name and data."""
        return events(self.body)

    def header(self, name: str) -> str | None:
        """Give the first header of that name, in any case."""
        return next((text for key, text in self.headers if key.lower() == name.lower()), None)


class RawStream:
    """A reply that is being read. Who does not call `read_some` has stopped reading."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: RawReply
    ) -> None:
        self.reply = reply
        self._reader = reader
        self._writer = writer
        self._chunked = (reply.header("Transfer-Encoding") or "").lower() == "chunked"
        length = reply.header("Content-Length")
        self._left = int(length) if length is not None else None
        if reply.status in (204, 304) or self._left == 0:
            reply.ended = "whole"

    @property
    def status(self) -> int:
        return self.reply.status

    async def read_some(self) -> bytes:
        """Give the next chunk, b"" at the end; `reply.ended` then says how it ended."""
        if self.reply.ended:
            return b""
        try:
            chunk = await (self._chunk() if self._chunked else self._piece())
        except ConnectionError:
            self.reply.ended = "reset"
            return b""
        except (asyncio.IncompleteReadError, ValueError):
            self.reply.ended = "cut"
            return b""
        if chunk:
            self.reply.chunks.append(chunk)
            self.reply.times.append(asyncio.get_running_loop().time())
        else:
            self.reply.ended = "whole"
        return chunk

    async def read_until(self, marker: bytes) -> bytes:
        """Read until the body holds `marker` or ends; give the body so far."""
        while marker not in self.reply.body and await self.read_some():
            pass
        return self.reply.body

    async def read_all(self) -> RawReply:
        """Read to the end."""
        while await self.read_some():
            pass
        return self.reply

    def hang_up(self, *, reset: bool = False) -> None:
        """Close the connection at once."""
        if reset:
            linger = struct.pack("ii", 1, 0)
            sock = self._writer.get_extra_info("socket")
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.reply.ended = self.reply.ended or "hung up"
        self._writer.transport.abort()

    async def _chunk(self) -> bytes:
        size = int((await self._reader.readuntil(b"\r\n")).split(b";")[0], 16)
        data = await self._reader.readexactly(size + 2)
        return data[:-2]

    async def _piece(self) -> bytes:
        if self._left == 0:
            return b""
        data = await self._reader.read(min(65536, self._left or 65536))
        if self._left is not None:
            if not data:
                raise asyncio.IncompleteReadError(data, self._left)
            self._left -= len(data)
        return data


class Agent:
    """One connection that requests can be sent over, one after another."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def connect(cls, url: str, buffer: int = 0) -> Self:
        """Connect; `buffer` bounds what is taken in before someone reads it."""
        parts = urlsplit(url)
        sock = socket.socket(socket.AF_INET6 if ":" in (parts.hostname or "") else socket.AF_INET)
        sock.setblocking(False)
        if buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        try:
            await asyncio.get_running_loop().sock_connect(sock, (parts.hostname, parts.port))
        except BaseException:
            sock.close()
            raise
        reader, writer = await asyncio.open_connection(sock=sock, limit=buffer or 1 << 20)
        return cls(reader, writer)

    async def send(self, url: str, upload: Upload) -> RawStream:
        """Send a request and read the reply's head; status 0 when none came."""
        payload = upload.payload()
        self.writer.write(upload.head(url, len(payload)))
        try:
            reply = await self._continued() if upload.expect else None
            if reply is None:
                await self._upload(framed(payload, upload.pieces))
                reply = RawReply(*await self._head(), continued=upload.expect)
        except ConnectionError:
            reply = RawReply(0, [], ended="reset")
        except asyncio.IncompleteReadError:
            reply = RawReply(0, [], ended="cut")
        if upload.method == "HEAD":
            reply.ended = "whole"
        return RawStream(self.reader, self.writer, reply)

    async def _continued(self) -> RawReply | None:
        """Wait for 100 Continue; give the reply that came instead."""
        status, headers = await self._head()
        return None if status == 100 else RawReply(status, headers)

    async def _upload(self, parts: list[bytes]) -> None:
        # A server may answer, and close, before it has read all; its answer is still to be read.
        with contextlib.suppress(ConnectionError):
            for part in parts:
                self.writer.write(part)
                await self.writer.drain()

    async def close(self) -> None:
        """Close the connection."""
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()

    async def _head(self) -> tuple[int, list[tuple[str, str]]]:
        text = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, *lines = text[:-4].split("\r\n")
        pairs = [line.partition(":") for line in lines]
        return int(status.split(" ")[1]), [(name, value.strip()) for name, _, value in pairs]


@asynccontextmanager
async def stream(
    url: str,
    body: Body = b"",
    headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    *,
    buffer: int = 0,
    upload: Upload | None = None,
) -> AsyncIterator[RawStream]:
    """Send a request and give its reply to be read; `upload` replaces body and headers."""
    agent = await Agent.connect(url, buffer)
    try:
        yield await agent.send(url, upload or Upload(body=body, headers=headers))
    finally:
        await agent.close()


async def post(
    url: str,
    body: Body = b"",
    headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    *,
    hang_up_after: int | None = None,
    upload: Upload | None = None,
) -> RawReply:
    """Send a request and read the whole reply, or hang up after so many bytes of its body."""
    async with stream(url, body, headers, upload=upload) as reply:
        if hang_up_after is None:
            return await reply.read_all()
        while len(reply.reply.body) < hang_up_after and await reply.read_some():
            pass
        reply.hang_up()
        return reply.reply


async def get(
    url: str, headers: Mapping[str, str] | Sequence[tuple[str, str]] = (), method: str = "GET"
) -> RawReply:
    """Send a request without a body and read the whole reply."""
    return await post(url, upload=Upload(method=method, headers=headers))


def framed(payload: bytes, pieces: int) -> list[bytes]:
    """Give the payload as it is, or in the frames of a chunked upload."""
    if not pieces:
        return [payload]
    size = max(1, -(-len(payload) // pieces))
    parts = [payload[at : at + size] for at in range(0, len(payload), size)]
    return [b"%x\r\n%b\r\n" % (len(part), part) for part in parts] + [b"0\r\n\r\n"]


def packed(body: bytes, encode: Encoding) -> bytes:
    """Compress a body."""
    match encode:
        case "gzip":
            return gzip.compress(body)
        case "deflate":
            return zlib.compress(body)
        case "br":
            return bytes(brotli.compress(body))
        case "zstd":
            return zstd.compress(body)
        case _:
            return body


def events(body: bytes) -> list[tuple[str, str]]:
    """Read the server-sent events of a well-formed body: name and data, comments left out."""
    found = []
    for block in body.decode().replace("\r\n", "\n").split("\n\n"):
        pairs = [line.partition(":") for line in block.split("\n") if line]
        data = [value.removeprefix(" ") for name, _, value in pairs if name == "data"]
        named = [value.removeprefix(" ") for name, _, value in pairs if name == "event"]
        if data:
            found.append((named[-1] if named else "", "\n".join(data)))
    return found
