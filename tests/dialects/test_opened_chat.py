"""A chat stream that the gateway opened: what its opening and its choices need."""

from __future__ import annotations

import json

import pytest

from tests.dialects.opened_feeding import Json, bodies, fed, whole
from tests.dialects.opened_rules import exact
from tests.dialects.streams import sse


def chat(*choices: Json, **more: object) -> bytes:
    return sse({"id": "v", "model": "vm", "created": 1, "choices": choices, **more})


def choice(index: int = 0, finish: str | None = None, **delta: object) -> Json:
    return {"index": index, "delta": delta, "finish_reason": finish}


def deltas(told: list[Json]) -> list[tuple[int, Json, str | None]]:
    return [(c["index"], c["delta"], c["finish_reason"]) for body in told for c in body["choices"]]


@pytest.mark.parametrize(
    "chunk",
    [
        chat(choice(role="assistant")),
        chat(choice(role="assistant", content="")),
        chat(choice(role="assistant", content=None, reasoning_content="", tool_calls=[])),
        chat(choice(role="assistant", content=""), usage=None, system_fingerprint="fp"),
        sse({"choices": [{"delta": {"role": "assistant", "content": ""}}]}),
    ],
)
def test_chat_drops_what_only_opens(chunk: bytes) -> None:
    assert fed("chat", chunk, chunk) == []


@pytest.mark.parametrize(
    ("chunk", "rest"),
    [
        (chat(choice(role="assistant", content="a")), {"content": "a"}),
        (chat(choice(role="assistant", reasoning_content="a")), {"reasoning_content": "a"}),
        (
            chat(choice(role="assistant", content="", new={"a": 1})),
            {"content": "", "new": {"a": 1}},
        ),
        (chat(choice(finish="stop", role="assistant")), {}),
        (chat(choice(role="assistant"), usage={"prompt_tokens": 3}), {}),
        (chat(choice(role="assistant"), prompt_filter_results=[{"prompt_index": 0}]), {}),
        (chat(choice(content="")), {"content": ""}),
        (chat(choice()), {}),
        (chat(choice(content='"role"')), {"content": '"role"'}),
    ],
)
def test_chat_drops_the_role_alone(chunk: bytes, rest: Json) -> None:
    (told,) = fed("chat", chunk)
    (before,) = bodies(chunk)
    assert told["choices"][0]["delta"] == rest
    told["choices"][0]["delta"] = before["choices"][0]["delta"]
    assert told == before | {"id": "ours-1", "model": "model-asked-for", "created": 1234}


def test_chat_leaves_a_second_choice_its_role() -> None:
    two = chat(choice(role="assistant", content=""), choice(1, role="assistant", content=""))
    told = fed("chat", chat(choice(1, role="assistant", content="")), two)
    said = (1, {"role": "assistant", "content": ""}, None)
    assert deltas(told) == [said, (0, {"content": ""}, None), said]


def test_chat_takes_over_chunks_without_an_id() -> None:
    (told,) = fed("chat", sse({"choices": [choice(content="a")]}))
    assert (told["id"], told["model"], told["created"]) == ("ours-1", "model-asked-for", 1234)
    assert fed("chat", sse({"error": {"message": "no"}})) == [{"error": {"message": "no"}}]
    (told,) = fed("chat", sse({"id": "v", "usage": {"prompt_tokens": 1}}))
    assert told == {"id": "ours-1", "usage": {"prompt_tokens": 1}}


@pytest.mark.parametrize("choices", [None, 7, "a", {}])
def test_chat_passes_what_it_does_not_know(choices: object) -> None:
    assert fed("chat", sse({"id": "v", "choices": choices})) == [
        {"id": "ours-1", "choices": choices}
    ]


def test_chat_whole_of_two_choices() -> None:
    logprobs = {"content": [{"token": "a", "logprob": -0.5}]}
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    told = whole(
        "chat",
        {
            "choices": [
                {"index": 0, "message": {"content": "a"}, "logprobs": logprobs, "x": 1},
                {"message": {"role": "assistant", "tool_calls": [call], "refusal": None, "y": 1}},
            ],
            "system_fingerprint": "fp",
        },
    )
    assert deltas(told) == [
        (0, {"content": "a"}, None),
        (0, {}, "stop"),
        (1, {"role": "assistant", "content": ""}, None),
        (1, {"tool_calls": [{"index": 0, **call}]}, None),
        (1, {"y": 1}, None),
        (1, {}, "tool_calls"),
    ]
    assert {body["system_fingerprint"] for body in told} == {"fp"}
    assert "usage" not in told[-1]
    assert [body["choices"][0].get("logprobs") for body in told[:2]] == exact(
        json.dumps([logprobs, None])
    )
    assert told[1]["choices"][0]["x"] == 1
