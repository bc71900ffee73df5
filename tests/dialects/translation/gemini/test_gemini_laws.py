from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.gemini.translator import GeminiTranslator
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import Call, Function, Result, Text
from tests.dialects.translation.conversations import REQUESTS

TRANSLATOR = GeminiTranslator()
TARGET = Target("google", "gemini", "gemini-2.5-pro")

_NAMES = st.sampled_from(
    [
        "contents",
        "parts",
        "role",
        "text",
        "functionCall",
        "function_response",
        "response",
        "name",
        "args",
        "id",
        "inlineData",
        "mimeType",
        "data",
        "fileData",
        "fileUri",
        "thought",
        "thoughtSignature",
        "tools",
        "functionDeclarations",
        "parameters",
        "generationConfig",
        "thinkingConfig",
        "thinkingBudget",
        "responseSchema",
        "systemInstruction",
        "toolConfig",
        "mode",
        "type",
        "items",
    ]
)
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["user", "model", "image/png", "video/mp4", "OBJECT", "ANY"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=30,
)
_PART = st.dictionaries(_NAMES, _JSON, max_size=3)
_CONTENTS = st.lists(
    st.fixed_dictionaries(
        {"parts": st.lists(_PART, max_size=3)},
        optional={"role": st.sampled_from(["user", "model", "function"])},
    ),
    min_size=1,
    max_size=4,
)


def through(body: bytes) -> None:
    """Read and write; only a fault of the request may stop it."""
    try:
        found = TRANSLATOR.read_request(body, "m", "sse")
    except Fault as fault:
        assert fault.kind is FaultKind.REQUEST
        return
    json.loads(TRANSLATOR.write_request(found, TARGET).body)


@given(st.dictionaries(_NAMES, _JSON), _CONTENTS)
def test_no_json_breaks_it(body: dict[str, Any], contents: list[Any]) -> None:
    through(json.dumps(body).encode())
    through(json.dumps(body | {"contents": contents}).encode())


@given(st.binary(max_size=200))
def test_no_bytes_break_it(body: bytes) -> None:
    through(body)
    through(b'{"contents":[{"parts":[{"text":"' + body + b'"}]}]}')


def test_deep_nesting_is_a_fault_or_harmless() -> None:
    for depth in (100, 500, 100_000):
        deep = b'{"a":' * depth + b"1" + b"}" * depth
        for name in (b"parameters", b"parametersJsonSchema"):
            through(
                b'{"contents":[{"parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":'
                b'[{"name":"f","' + name + b'":{"type":"OBJECT","items":' + deep + b"}}]}]}"
            )
        through(b'{"contents":[{"parts":[{"functionCall":{"name":"f","args":' + deep + b"}}]}]}")


def unsigned(body: bytes) -> Any:
    """Leave out signatures: an agent's own vendor's go to nobody."""
    return json.loads(body, object_hook=_unsigned)


def _unsigned(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name != "thoughtSignature"}


def test_what_was_written_means_the_same() -> None:
    for name, asked in REQUESTS.items():
        written = TRANSLATOR.write_request(asked, TARGET)
        found = TRANSLATOR.read_request(written.body, asked.model, "sse")
        again = TRANSLATOR.write_request(found, TARGET)
        if name not in ("choice_allowed", "hosted", "image_result"):
            assert unsigned(again.body)["contents"] == unsigned(written.body)["contents"], name
        kept = [part for one in asked.messages for part in one.parts if isinstance(part, Call)]
        calls = [part for one in found.messages for part in one.parts if isinstance(part, Call)]
        assert [one.id for one in calls] == [one.id for one in kept], name
        assert found.sampling.temperature == asked.sampling.temperature
        assert len([t for t in found.tools if isinstance(t, Function)]) >= len(
            [t for t in asked.tools if isinstance(t, Function)]
        )


def test_results_keep_their_words() -> None:
    body = TRANSLATOR.write_request(REQUESTS["error_result"], TARGET).body
    found = TRANSLATOR.read_request(body, "m", "sse").messages[2].parts[0]
    assert isinstance(found, Result)
    assert (found.parts, found.is_error) == ((Text("no file"),), True)
