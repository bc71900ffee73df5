"""What a setting may hold, and what it means inside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.values import kinds
from holdgate.core.values.kinds import (
    Kind,
    WrongValue,
    choice,
    format_duration,
    parse_duration,
    parse_size,
)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("500ms", 0.5),
        ("15s", 15),
        ("2m", 120),
        ("4m45s", 285),
        ("1h", 3600),
        ("7d", 604800),
        ("1.5h", 5400),
        (" 15s ", 15),
        ("15", 15),
        (15, 15),
        (0.25, 0.25),
        (0, 0),
        ("0", 0),
        ("0s", 0),
    ],
)
def test_durations(written: object, seconds: float) -> None:
    assert parse_duration(written) == seconds


@pytest.mark.parametrize(
    "written",
    ["", "soon", "15 s", "s", "-1s", "1h soon", "nan", "inf", -1, True, float("inf"), None, [15]],
)
def test_what_is_no_duration(written: object) -> None:
    with pytest.raises(WrongValue, match="a duration such as"):
        kinds.DURATION.parse(written)


@given(st.integers(min_value=0, max_value=10**7))
def test_whole_seconds_come_back(seconds: int) -> None:
    assert parse_duration(format_duration(seconds)) == seconds


@given(st.integers(min_value=1, max_value=999))
def test_milliseconds_come_back(milliseconds: int) -> None:
    seconds = milliseconds / 1000
    assert parse_duration(format_duration(seconds)) == pytest.approx(seconds)


@given(st.floats(min_value=0.001, max_value=1e7))
def test_what_is_formatted_is_a_duration_near_by(seconds: float) -> None:
    assert parse_duration(format_duration(seconds)) == pytest.approx(seconds, abs=0.51)


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0s"), (0.5, "500ms"), (1.5, "1.5s"), (60, "1m"), (285, "4m45s"), (90000, "1d1h")],
)
def test_durations_as_people_write_them(seconds: float, written: str) -> None:
    assert format_duration(seconds) == written


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("128MiB", 128 << 20),
        ("2MB", 2_000_000),
        ("1.5 KiB", 1536),
        ("10", 10),
        ("7B", 7),
        (0, 0),
        (4096, 4096),
    ],
)
def test_sizes(written: object, size: int) -> None:
    assert parse_size(written) == size


@pytest.mark.parametrize("written", ["", "big", "-1MB", "1TB", -1, 1.5, True, None])
def test_what_is_no_size(written: object) -> None:
    with pytest.raises(WrongValue, match="a size such as"):
        kinds.SIZE.parse(written)


@pytest.mark.parametrize(
    ("kind", "right", "meaning"),
    [
        (kinds.TEXT, "a", "a"),
        (kinds.FLAG, False, False),
        (kinds.COUNT, 0, 0),
        (kinds.PORT, 65535, 65535),
        (kinds.TEXTS, ["a", "b"], ("a", "b")),
        (kinds.URL, "https://a.example/v1/", "https://a.example/v1"),
        (kinds.URL, "http://[::1]:8080", "http://[::1]:8080"),
        (kinds.URL, " https://a.example/v1/ ", "https://a.example/v1"),
        (kinds.PROXY, "direct", "direct"),
        (kinds.PROXY, "http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        (kinds.HEADERS, {"X-Team": "a"}, (("X-Team", "a"),)),
        (choice("auto", "off"), "off", "off"),
    ],
)
def test_right_values(kind: Kind, right: object, meaning: object) -> None:
    assert kind.parse(right) == meaning


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (kinds.TEXT, ""),
        (kinds.TEXT, " "),
        (kinds.TEXT, 1),
        (kinds.FLAG, 1),
        (kinds.FLAG, "true"),
        (kinds.COUNT, -1),
        (kinds.COUNT, True),
        (kinds.COUNT, 1.0),
        (kinds.PORT, 65536),
        (kinds.TEXTS, "a"),
        (kinds.TEXTS, ["a", ""]),
        (kinds.URL, "a.example"),
        (kinds.URL, "ftp://a.example"),
        (kinds.URL, "https://"),
        (kinds.URL, "https://a.example?x=1"),
        (kinds.URL, "https://a.example#x"),
        (kinds.URL, "https://a.example:99999"),
        (kinds.URL, "https://a.example:0"),
        (kinds.URL, "https://a.example/v 1"),
        (kinds.URL, "https://a.example/v1\r\nX-Evil: 1"),
        (kinds.URL, "https://a b.example"),
        (kinds.URL, "https://me:pw@a.example"),
        (kinds.PROXY, "ftp://a.example"),
        (kinds.PROXY, "a.example:8080"),
        (kinds.PROXY, "http://a.example/path"),
        (kinds.FILE, "company.pem"),
        (kinds.HEADERS, ["a"]),
        (kinds.HEADERS, {"X Team": "a"}),
        (kinds.HEADERS, {"X:": "a"}),
        (kinds.HEADERS, {"X": "a\r\nB: c"}),
        (choice("auto", "off"), "of"),
        (choice("auto", "off"), ["off"]),
    ],
)
def test_wrong_values_say_what_is_allowed(kind: Kind, wrong: object) -> None:
    with pytest.raises(WrongValue) as caught:
        kind.parse(wrong)
    assert str(caught.value) == kind.allowed


def test_a_choice_names_its_words() -> None:
    assert choice("auto", "off").allowed == 'one of "auto", "off"'
