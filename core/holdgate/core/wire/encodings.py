"""Content encodings: gives the plain bytes of a compressed body as they come.

A stage undoes one encoding, a decoder is a chain of stages. Compressed bytes go in as small slices
and come out as pieces of a bounded size, so a bomb costs one piece of memory for each stage, and
the copies that codecs make of what they did not read yet stay short.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from types import MappingProxyType
from typing import Protocol

PIECE = 1 << 16  # bytes that a codec gives out at once
SLICE = 1 << 14  # bytes that a codec is given at once
# More encodings than this on one body are no accident.
MOST_STAGES = 4
# RFC 9659 allows a window of 8 MiB at most for zstd on the web; libzstd alone would take 128 MiB.
_ZSTD_WINDOW_LOG = 23


class TooLarge(ValueError):
    """More bytes came out than the limit allows."""


class BadEncoding(ValueError):
    """The compressed bytes are broken or end too early."""


class UnknownEncoding(ValueError):
    """An encoding that is not known; `name` says which."""

    def __init__(self, name: str) -> None:
        """Take the encoding's name as it was sent."""
        super().__init__(f"unknown content encoding {name!r}")
        self.name = name


class _Codec(Protocol):
    """One compressed member. `step` gives about PIECE bytes; `b""` asks for what is left.

    `error` is what `step` raises for broken data.
    """

    error: type[Exception]

    def step(self, data: bytes) -> bytes: ...
    def hungry(self) -> bool: ...
    def done(self) -> bool: ...
    def rest(self) -> bytes: ...


class _Zlib:
    """A member in zlib's, gzip's or the raw form."""

    __slots__ = ("_full", "_inner", "error")

    def __init__(self, wbits: int) -> None:
        self.error: type[Exception] = zlib.error
        self._inner = zlib.decompressobj(wbits)
        self._full = False

    def step(self, data: bytes) -> bytes:
        out = self._inner.decompress(data or self._inner.unconsumed_tail, PIECE)
        # zlib may keep bytes of its window back when a piece came out exactly full.
        self._full = len(out) == PIECE
        return out

    def hungry(self) -> bool:
        return not self._full and not self._inner.unconsumed_tail

    def done(self) -> bool:
        return self._inner.eof

    def rest(self) -> bytes:
        return self._inner.unused_data


class _Brotli:
    """A brotli stream. The library takes bytes behind its end for an error by itself."""

    __slots__ = ("_full", "_inner", "error")

    def __init__(self) -> None:
        import brotli  # type: ignore[import-untyped]

        self.error: type[Exception] = brotli.error
        self._inner = brotli.Decompressor()
        self._full = False

    def step(self, data: bytes) -> bytes:
        out = bytes(self._inner.process(data, output_buffer_limit=PIECE))
        # Asked for more, it says so even where a piece came out exactly full and an end follows.
        self._full = len(out) >= PIECE
        return out

    def hungry(self) -> bool:
        return not self._full and bool(self._inner.can_accept_more_data())

    def done(self) -> bool:
        return bool(self._inner.is_finished())

    def rest(self) -> bytes:
        return b""


class _Zstd:
    """A zstd frame."""

    __slots__ = ("_inner", "error")

    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        self.error: type[Exception] = zstd.ZstdError
        options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
        self._inner = zstd.ZstdDecompressor(options=options)

    def step(self, data: bytes) -> bytes:
        return self._inner.decompress(data, PIECE)

    def hungry(self) -> bool:
        return self._inner.needs_input

    def done(self) -> bool:
        return self._inner.eof

    def rest(self) -> bytes:
        return self._inner.unused_data


def _open_gzip(_first: bytes) -> _Codec:
    return _Zlib(16 + zlib.MAX_WBITS)


def _open_deflate(first: bytes) -> _Codec:
    # "deflate" should be wrapped, but some send it raw. A wrapped stream's first byte ends in 8;
    # in a raw one that would be a stored block with padding that nobody writes.
    return _Zlib(zlib.MAX_WBITS if first[0] & 0x0F == 8 else -zlib.MAX_WBITS)


def _open_brotli(_first: bytes) -> _Codec:
    return _Brotli()


def _open_zstd(_first: bytes) -> _Codec:
    return _Zstd()


class _Stage:
    """One encoding undone: opens a codec for each member and counts what came out."""

    __slots__ = ("_began", "_codec", "_limit", "_many", "_name", "_open", "_out")

    def __init__(
        self, name: str, open_codec: Callable[[bytes], _Codec], many: bool, limit: int
    ) -> None:
        self._name = name
        self._open = open_codec
        self._many = many
        self._limit = limit
        self._codec: _Codec | None = None
        self._began = False
        self._out = 0

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Give what comes out of `data`, at most about PIECE bytes at once."""
        for start in range(0, len(data), SLICE):
            rest = data[start : start + SLICE]
            while rest:
                rest = yield from self._member(rest)

    def _member(self, data: bytes) -> Generator[bytes, None, bytes]:
        """Give what comes out of one member; return the bytes behind its end."""
        codec = self._codec or self._next(data)
        if codec is None:
            return b""
        self._codec = codec
        while True:
            out = self._step(codec, data)
            if out:
                yield self._counted(out)
            if codec.done():
                self._codec = None
                return codec.rest()
            if codec.hungry():
                return b""
            data = b""

    def _next(self, data: bytes) -> _Codec | None:
        """Open the codec of the member that `data` begins; None if it is only padding."""
        if self._began and not self._many:
            raise BadEncoding(f"bytes behind the end of the {self._name} data")
        # Tapes and some servers pad gzip with zeros, which gzip itself passes over.
        if self._began and not data.strip(b"\0"):
            return None
        self._began = True
        return self._open(data)

    def _step(self, codec: _Codec, data: bytes) -> bytes:
        try:
            return codec.step(data)
        except codec.error as error:
            raise BadEncoding(f"broken {self._name} data") from error

    def _counted(self, out: bytes) -> bytes:
        self._out += len(out)
        if self._limit and self._out > self._limit:
            raise TooLarge(f"more than {self._limit} bytes after decompression")
        return out

    def close(self) -> None:
        """Raise BadEncoding if the data ended within a member."""
        if self._codec is not None:
            raise BadEncoding(f"the {self._name} data ends too early")


# How each encoding's codec is opened, and whether several members may follow each other.
_STAGES: Mapping[str, tuple[Callable[[bytes], _Codec], bool]] = MappingProxyType(
    {
        "gzip": (_open_gzip, True),
        "x-gzip": (_open_gzip, True),
        "deflate": (_open_deflate, False),
        "br": (_open_brotli, False),
        "zstd": (_open_zstd, True),
    }
)


class Decoder:
    """A body's encodings undone: feed it bytes in any cut, then close it.

    A body without a single byte is taken for an empty one, whatever its encoding.
    """

    __slots__ = ("_limit", "_out", "_stages")

    def __init__(self, stages: tuple[_Stage, ...], limit: int) -> None:
        """Take the stages in the order in which they undo, and the limit in bytes (0: none)."""
        self._stages = stages
        self._limit = limit
        self._out = 0

    def feed(self, data: bytes) -> bytes:
        """Give the plain bytes that follow from `data`.

        Raises TooLarge and BadEncoding; the decoder is of no use after either.
        """
        if not self._stages:
            self._out += len(data)
            if self._limit and self._out > self._limit:
                raise TooLarge(f"more than {self._limit} bytes")
            return data
        return b"".join(self._through(0, data))

    def _through(self, index: int, data: bytes) -> Iterator[bytes]:
        for piece in self._stages[index].pieces(data):
            if index + 1 == len(self._stages):
                yield piece
            else:
                yield from self._through(index + 1, piece)

    def close(self) -> bytes:
        """End the body and give what was still kept back: nothing, today.

        Raises BadEncoding if it ended too early.
        """
        for stage in self._stages:
            stage.close()
        return b""


def decoder(content_encoding: str, limit: int) -> Decoder:
    """Give the decoder for a Content-Encoding header ("" and "identity": bytes pass as they are).

    `limit`: most bytes that may come out, 0 for no limit. Raises UnknownEncoding.
    """
    names = [name.strip().lower() for name in content_encoding.split(",")]
    names = [name for name in names if name and name != "identity"]
    for name in names:
        if name not in _STAGES:
            raise UnknownEncoding(name)
    if len(names) > MOST_STAGES:
        raise UnknownEncoding(", ".join(names))
    names.reverse()
    # What lies between two stages is compressed, so hardly larger than what may come out at last.
    between = limit and limit + (limit >> 3) + 1024
    limits = [between] * (len(names) - 1) + [limit]
    return Decoder(
        tuple(
            _Stage(name, *_STAGES[name], most) for name, most in zip(names, limits, strict=False)
        ),
        limit,
    )
