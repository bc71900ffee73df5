"""Verdicts: real error bodies of vendors and relays, one file each, and what each means."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.traffic.verdicts import of_event, of_status
from holdgate.core.values.errors import Fault, FaultKind, VendorReply

# 2026-11-30 12:00:00 UTC
NOW = 1_796_040_000.0
FILES = sorted((Path(__file__).parents[1] / "fixtures/vendor_errors").glob("*.json"))


def rows() -> list[Any]:
    return [
        pytest.param(row, id=f"{file.stem}-{number}-{row['kind']}")
        for file in FILES
        for number, row in enumerate(json.loads(file.read_text(encoding="utf-8")))
    ]


def verdict(status: int, body: Any, headers: dict[str, str] | None = None) -> Fault:
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    if status == 200:
        return of_event("vendor", text.encode(), "")
    return of_status(
        "vendor", VendorReply(status, tuple((headers or {}).items()), text.encode()), "", NOW
    )


@pytest.mark.parametrize("row", rows())
def test_what_vendors_say(row: dict[str, Any]) -> None:
    fault = verdict(row["status"], row["body"], row["headers"])
    assert fault.kind is FaultKind[row["kind"]], row["why"]
    assert fault.retry_after == pytest.approx(row.get("seconds")), row["why"]


def test_all_files_are_read() -> None:
    assert len(FILES) > 15


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_only_documented_members(file: Path) -> None:
    members = {"status", "headers", "body", "kind", "why", "seconds"}
    assert all(set(row) <= members for row in json.loads(file.read_text(encoding="utf-8")))


def test_the_dialects_words_count_where_the_body_has_none() -> None:
    reply = VendorReply(400, (), b'{"unknown": "shape"}')
    words = "Your credit balance is too low to access the Anthropic API."
    assert of_status("vendor", reply, words).kind is FaultKind.CREDIT
    assert of_status("vendor", reply, "").kind is FaultKind.REQUEST


MEMBERS = (
    *("error", "detail", "details", "errors", "code", "type", "status", "message", "base_resp"),
    *("status_code", "metadata", "raw", "reasons", "quotaId", "response"),
)
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=20),
        st.sampled_from(["1308", "[1308][x]", "x (1008)", "{", '{"error":"{"}', "litellm.Error: "]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(MEMBERS),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=20,
)


@settings(deadline=None, max_examples=300)
@given(st.integers(100, 599), JSON, st.text(max_size=20))
def test_any_json_has_a_verdict(status: int, body: Any, words: str) -> None:
    data = json.dumps(body).encode()
    assert of_status("vendor", VendorReply(status, (), data), words, NOW).kind in FaultKind
    assert of_event("vendor", data, words).kind in FaultKind


@settings(deadline=None, max_examples=300)
@given(st.integers(100, 599), st.binary(max_size=200))
def test_any_bytes_have_a_verdict(status: int, body: bytes) -> None:
    assert of_status("vendor", VendorReply(status, (), body), "", NOW).kind in FaultKind
    assert of_event("vendor", body, "").kind in FaultKind


@pytest.mark.parametrize("depth", [5, 500, 200_000])
@pytest.mark.parametrize(("begin", "end"), [("[", "]"), ('{"error":', "}"), ('{"detail":[', "]}")])
def test_deep_bodies(depth: int, begin: str, end: str) -> None:
    body = (begin * depth + '"x"' + end * depth).encode()
    assert of_status("vendor", VendorReply(400, (), body), "").kind is FaultKind.REQUEST
    assert of_event("vendor", body, "").kind is FaultKind.SERVER


def test_errors_in_errors_as_text_end_somewhere() -> None:
    text = "x"
    for _ in range(14):
        text = json.dumps({"error": text})
    assert verdict(400, text).kind is FaultKind.REQUEST


@pytest.mark.parametrize(
    "code", ["9" * 10, "9" * 9000, f'"{"x" * 200}"', '""', "true", "1.5", "null", '["1308"]']
)
def test_codes_that_are_none(code: str) -> None:
    body = f'{{"error":{{"code":{code},"message":"\\ud800"}}}}'
    assert verdict(400, body).kind is FaultKind.REQUEST
    assert verdict(429, body).kind is FaultKind.RATE


MIB = 1 << 20


@pytest.mark.parametrize(
    "body",
    [
        b"x" * MIB,
        b"[" * MIB,
        b'{"error":{"message":"' + b"limit daily " * (MIB // 12) + b'"}}',
        b'{"error":{"message":"' + b"litellm.Error: " * (MIB // 15) + b'"}}',
        b'{"error":{"message":"' + b"your account " * (MIB // 13) + b'"}}',
        b'{"error":{"message":"' + b"request too large for " * (MIB // 22) + b'"}}',
        b'{"error":{"message":"' + b"400 " * (MIB // 4) + b'"}}',
        b'{"error":{"message":"' + b"5 hours " * (MIB // 8) + b'"}}',
        b'{"errors":[' + b'{"code":"x","message":"y"},' * (MIB // 27) + b"{}]}",
        b"resets at " * (MIB // 10),
        b"data:" * (MIB // 5),
        b"<" * MIB,
    ],
)
@pytest.mark.parametrize("status", [400, 429, 500])
def test_long_bodies_cost_little(body: bytes, status: int) -> None:
    before = time.process_time()
    assert of_status("vendor", VendorReply(status, (), body), "", NOW).kind in FaultKind
    assert time.process_time() - before < 0.5
