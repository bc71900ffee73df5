"""One request by the gateway's own client, and servers that answer it in odd ways."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType

import trustme

from holdgate.core.relay.fetch import fetch
from holdgate.core.relay.ports import Outgoing
from holdgate.core.relay.upstream import HttpUpstream
from holdgate.core.values.clock import system_clock
from holdgate.core.values.errors import Fault, FaultKind

NOBODY: Mapping[str, str] = MappingProxyType({})


async def asked(
    url: str,
    *,
    proxy: str = "",
    ca: Path | None = None,
    environ: Mapping[str, str] = NOBODY,
    patience: float = 5.0,
) -> int:
    """Give the status of a GET. Raises Fault."""
    loop = asyncio.get_running_loop()
    upstream = HttpUpstream(system_clock(loop.time), loop, environ)
    outgoing = Outgoing("GET", url, (), b"", proxy, patience, ca=str(ca or ""))
    try:
        return (await fetch(upstream, outgoing, 10.0)).head.status
    finally:
        await upstream.close()


async def said(
    url: str,
    *,
    proxy: str = "",
    ca: Path | None = None,
    environ: Mapping[str, str] = NOBODY,
    patience: float = 5.0,
) -> str:
    """Give what is told of a vendor that cannot be reached."""
    try:
        status = await asked(url, proxy=proxy, ca=ca, environ=environ, patience=patience)
    except Fault as fault:
        assert fault.kind == FaultKind.NETWORK
        return fault.message
    raise AssertionError(f"it was reached: {status}")


def tls_of(certificate: trustme.LeafCert) -> ssl.SSLContext:
    """Give a server's context."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


def pem_of(authority: trustme.CA, folder: Path) -> Path:
    """Write an authority's certificate as a company hands it out."""
    file = folder / "company.pem"
    authority.cert_pem.write_to_path(file)
    return file


@asynccontextmanager
async def serving(
    answer: bytes = b"", tls: ssl.SSLContext | None = None, *, silent: bool = False
) -> AsyncIterator[int]:
    """Give the port of a server that answers the first bytes so and hangs up.

    `silent`: it keeps the connection and says nothing.
    """
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        if answer:
            with contextlib.suppress(OSError):  # whoever reads its certificate hangs up
                await reader.read(4096)
            writer.write(answer)
        if not silent:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()
        await asyncio.sleep(0)


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
