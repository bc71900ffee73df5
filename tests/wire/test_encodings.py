"""Content encodings: any cut of the same bytes gives the same text, and no bomb takes memory."""

from __future__ import annotations

import gzip
import itertools
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Mapping
from types import MappingProxyType

import brotli  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.wire.encodings import (
    PIECE,
    BadEncoding,
    Decoder,
    TooLarge,
    UnknownEncoding,
    decoder,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Compress = Callable[[bytes], bytes]


def raw_deflate(data: bytes) -> bytes:
    inner = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return inner.compress(data) + inner.flush()


def members(data: bytes) -> bytes:
    half = len(data) // 2
    return gzip.compress(data[:half]) + gzip.compress(data[half:])


def frames(data: bytes) -> bytes:
    half = len(data) // 2
    return zstd.compress(data[:half]) + zstd.compress(data[half:])


def br(data: bytes) -> bytes:
    return bytes(brotli.compress(data, quality=4))


FORMS: Mapping[str, tuple[str, Compress]] = MappingProxyType(
    {
        "gzip": ("gzip", gzip.compress),
        "x-gzip": ("X-GZip", gzip.compress),
        "gzip of two members": ("gzip", members),
        "gzip with padding": ("gzip", lambda data: gzip.compress(data) + bytes(512)),
        "deflate": ("deflate", zlib.compress),
        "deflate without wrapping": ("deflate", raw_deflate),
        "brotli": ("br", br),
        "zstd": ("zstd", zstd.compress),
        "zstd of two frames": ("zstd", frames),
        "gzip, then zstd": ("gzip, zstd", lambda data: zstd.compress(gzip.compress(data))),
        "three": ("deflate,br , identity, gzip", lambda d: gzip.compress(br(zlib.compress(d)))),
    }
)


def decoded(encoding: str, data: bytes, cuts: list[int], limit: int = 0) -> bytes:
    inner = decoder(encoding, limit)
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    parts = [inner.feed(data[a:b]) for a, b in itertools.pairwise(edges)]
    return b"".join(parts) + inner.close()


@pytest.mark.parametrize("form", FORMS)
@given(
    data=st.binary(max_size=2000) | st.integers(0, 5).map(lambda n: b"hold the line " * n * 3000),
    cuts=st.lists(st.integers(0, 1 << 20), max_size=20),
)
def test_any_cut_gives_the_same_bytes(form: str, data: bytes, cuts: list[int]) -> None:
    encoding, compress = FORMS[form]
    assert decoded(encoding, compress(data), cuts, limit=len(data)) == data


@pytest.mark.parametrize("encoding", ["", "identity", " Identity ", ",", "identity, identity"])
def test_identity_passes_as_it_is(encoding: str) -> None:
    inner = decoder(encoding, 8)
    assert inner.feed(b"abcd") + inner.feed(b"efgh") + inner.close() == b"abcdefgh"


@pytest.mark.parametrize("form", FORMS)
def test_a_text_of_exactly_a_piece_comes_out_whole(form: str) -> None:
    encoding, compress = FORMS[form]
    for size in (PIECE - 1, PIECE, PIECE + 1, 3 * PIECE):
        data = bytes(range(256)) * (size // 256 + 1)
        assert decoded(encoding, compress(data[:size]), []) == data[:size]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, br"])
def test_a_body_without_a_byte_is_empty(encoding: str) -> None:
    inner = decoder(encoding, 10)
    assert inner.feed(b"") + inner.close() == b""


def test_what_is_there_is_given_at_once() -> None:
    inner = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    first = inner.compress(b"data: one\n\n") + inner.flush(zlib.Z_SYNC_FLUSH)
    stream = decoder("gzip", 0)
    assert stream.feed(first) == b"data: one\n\n"
    assert stream.feed(inner.compress(b"data: two\n\n") + inner.flush()) == b"data: two\n\n"


@pytest.mark.parametrize("form", [*FORMS, "identity"])
def test_one_byte_more_than_the_limit_is_too_large(form: str) -> None:
    encoding, compress = FORMS.get(form, ("identity", bytes))
    data = b"x" * 5000
    assert decoded(encoding, compress(data), [], limit=5000) == data
    with pytest.raises(TooLarge, match="4999"):
        decoded(encoding, compress(data), [], limit=4999)


def peak_of(inner: Decoder, data: bytes) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            inner.feed(data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", br),
        ("zstd", zstd.compress),
        ("gzip, gzip", lambda data: gzip.compress(gzip.compress(data))),
    ],
)
def test_a_bomb_takes_no_memory(encoding: str, compress: Compress) -> None:
    bomb = compress(bytes(64 << 20))
    assert len(bomb) < 100_000
    assert peak_of(decoder(encoding, 1 << 20), bomb) < 4 << 20


def test_a_bomb_between_two_encodings_is_noticed() -> None:
    # Empty gzip members: nothing comes out at last, however many there are.
    empty = gzip.compress(b"")
    bomb = zstd.compress(empty * 100_000)
    with pytest.raises(TooLarge):
        decoder("gzip, zstd", 1 << 16).feed(bomb)


@pytest.mark.parametrize("form", [form for form in FORMS if "padding" not in form])
def test_truncated_data_is_bad(form: str) -> None:
    encoding, compress = FORMS[form]
    whole = compress(b"some text " * 50)
    for size in (1, len(whole) // 2 + 1, len(whole) - 1):
        inner = decoder(encoding, 0)
        inner.feed(whole[:size])
        with pytest.raises(BadEncoding, match="too early"):
            inner.close()


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_broken_data_is_bad(encoding: str) -> None:
    with pytest.raises(BadEncoding, match=f"broken {encoding} data"):
        decoder(encoding, 0).feed(b"\xff\xff\xff\xffthis is none of them" * 20)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_bytes_behind_the_end_are_bad(encoding: str) -> None:
    compress = FORMS["brotli"][1] if encoding == "br" else FORMS[encoding][1]
    inner = decoder(encoding, 0)
    inner.feed(compress(b"text"))
    with pytest.raises(BadEncoding):
        inner.feed(b"junk")
    with pytest.raises(BadEncoding):
        decoder(encoding, 0).feed(compress(b"text") + b"junk")


def test_a_zstd_window_beyond_the_web_is_refused() -> None:
    parameter = zstd.CompressionParameter
    wide = zstd.compress(bytes(1 << 25), options={parameter.window_log: 25})
    with pytest.raises(BadEncoding):
        decoder("zstd", 0).feed(wide)


@pytest.mark.parametrize("encoding", ["snappy", "gzip, compress", "gz ip", "aes128gcm"])
def test_an_unknown_encoding_is_named(encoding: str) -> None:
    with pytest.raises(UnknownEncoding) as caught:
        decoder(encoding, 0)
    assert caught.value.name in encoding
    assert caught.value.name in str(caught.value)


def test_a_tower_of_encodings_is_refused() -> None:
    with pytest.raises(UnknownEncoding):
        decoder(", ".join(["gzip"] * 5), 0)
