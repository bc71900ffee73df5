"""Proxies for tests: HTTP's CONNECT and SOCKS 5, each with a login if wanted, all ways to one port.

Whatever host they are asked for, they lead to `to` on this machine, so that no name is looked up.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket
import ssl
from typing import Self

Login = tuple[str, str]


class Proxy:
    """A server on a free port of 127.0.0.1; `asked` holds "host:port" of each way that it gave."""

    scheme = ""

    def __init__(
        self, to: int = 0, login: Login | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        self.to, self.login, self.tls = to, login, tls
        self.asked: list[str] = []
        self.port = 0
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        login = f"{':'.join(self.login)}@" if self.login else ""
        return f"{self.scheme}://{login}127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await self.serve(reader, writer)
        writer.close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError

    async def lead(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, first: bytes = b""
    ) -> None:
        """Pass on what comes from either side, until one ends."""
        there, to_there = await asyncio.open_connection("127.0.0.1", self.to)
        self._writers.add(to_there)
        to_there.write(first)
        one = asyncio.ensure_future(_copy(reader, to_there))  # noqa: TID251 (ended below)
        other = asyncio.ensure_future(_copy(there, writer))  # noqa: TID251 (ended below)
        await asyncio.wait((one, other), return_when=asyncio.FIRST_COMPLETED)
        one.cancel()
        other.cancel()
        to_there.close()


class HttpProxy(Proxy):
    """Knows CONNECT, and plain requests with a whole URL. `answer`: what it says to all instead."""

    def __init__(
        self,
        to: int = 0,
        login: Login | None = None,
        tls: ssl.SSLContext | None = None,
        answer: bytes | None = None,
    ) -> None:
        super().__init__(to, login, tls)
        self.answer = answer
        self.scheme = "https" if tls else "http"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        if self.answer is not None:
            writer.write(self.answer)
        elif self.login and _basic(self.login) not in head:
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        else:
            self.asked.append(target)
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await self.lead(reader, writer, b"" if method == "CONNECT" else head)


class SocksProxy(Proxy):
    """SOCKS 5 (RFC 1928, 1929). `code`: what it answers to CONNECT, 0 for a way."""

    scheme = "socks5h"

    def __init__(self, to: int = 0, login: Login | None = None, code: int = 0) -> None:
        super().__init__(to, login)
        self.code = code

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, count = await reader.readexactly(2)
        wanted = 2 if self.login else 0
        if wanted not in await reader.readexactly(count):
            writer.write(b"\x05\xff")
            return
        writer.write(bytes((5, wanted)))
        if self.login and not await self._logged_in(reader, writer, self.login):
            return
        kind = (await reader.readexactly(4))[3]
        self.asked.append(
            f"{await _host(reader, kind)}:{int.from_bytes(await reader.readexactly(2))}"
        )
        writer.write(bytes((5, self.code, 0, 1, 127, 0, 0, 1, 0, 0)))
        if self.code == 0:
            await self.lead(reader, writer)

    async def _logged_in(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, login: Login
    ) -> bool:
        await reader.readexactly(1)
        user = await reader.readexactly((await reader.readexactly(1))[0])
        password = await reader.readexactly((await reader.readexactly(1))[0])
        right = (user.decode(), password.decode()) == login
        writer.write(bytes((1, 0 if right else 1)))
        return right


async def _host(reader: asyncio.StreamReader, kind: int) -> str:
    if kind == 3:
        return (await reader.readexactly((await reader.readexactly(1))[0])).decode()
    family, size = (socket.AF_INET, 4) if kind == 1 else (socket.AF_INET6, 16)
    return socket.inet_ntop(family, await reader.readexactly(size))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()


def _basic(login: Login) -> bytes:
    return b"Basic " + base64.b64encode(":".join(login).encode())
