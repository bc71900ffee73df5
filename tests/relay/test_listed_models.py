"""Lists of models: the forms in which vendors write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.relay.answers import Answer, listed_models
from holdgate.core.relay.listed_models import models_of
from holdgate.core.values.settings import Model


@pytest.mark.parametrize(
    ("entry", "context", "output"),
    [
        ({"id": "m"}, 0, 0),
        ({"id": "m", "context_length": 9, "top_provider": {"max_completion_tokens": 4}}, 9, 4),
        ({"id": "m", "context_length": 9, "top_provider": {"max_completion_tokens": None}}, 9, 0),
        ({"id": "m", "max_input_tokens": 9, "max_tokens": 4}, 9, 4),
        ({"id": "m", "max_tokens": 9}, 0, 0),
        ({"name": "models/m", "inputTokenLimit": 9, "outputTokenLimit": 4}, 9, 4),
        ({"id": "m", "context_window": 9, "max_completion_tokens": 4}, 9, 4),
        ({"id": "m", "max_model_len": 9}, 9, 0),
        ({"id": "m", "name": None, "context_length": "9", "max_model_len": True}, 0, 0),
        ({"id": "m", "context_length": -1, "context_window": 1e9, "top_provider": 7}, 0, 0),
    ],
)
def test_sizes(entry: dict[str, Any], context: int, output: int) -> None:
    wanted = (Model(id="m", context=context, output=output),)
    assert models_of(json.dumps({"data": [entry]}).encode()) == wanted


def test_forms() -> None:
    entries = [{"id": "a"}, {"name": "models/b"}, {"id": "a"}, {"object": "model"}]
    for form in ({"data": entries}, {"models": entries}, entries):
        assert [each.id for each in models_of(json.dumps(form).encode())] == ["a", "b"]


def test_one_odd_entry_spoils_no_list() -> None:
    # Mistral writes a name of null, Ollama data of null.
    entries = [7, {"id": "a", "name": None}, None, {"id": 5}, "b", {"name": "models/c", "id": None}]
    body = json.dumps({"data": entries}).encode()
    assert [each.id for each in models_of(body)] == ["a", "b", "c"]
    assert listed_models(Answer(200, body=body)) == ("a", "b", "c")
    assert models_of(b'{"object": "list", "data": null}') == ()
    both = b'{"models": [{"name": "m", "model": "m"}], "data": [{"id": "m.gguf"}]}'  # llama.cpp
    assert [each.id for each in models_of(both)] == ["m.gguf"]


@pytest.mark.parametrize("name", ["a\x1b[2J", "a\nb", "{env:HOME}", "${{ secrets.A }}", "a" * 257])
def test_what_would_act_where_names_are_written_is_no_name(name: str) -> None:
    body = json.dumps([{"id": name}, {"id": "C:\\models\\b c.gguf"}, {"name": f"models/{name}"}])
    assert [each.id for each in models_of(body.encode())] == ["C:\\models\\b c.gguf"]


NO_LISTS = [
    *(b"", b"<html>", b'{"data": 7}', b"7", b"[" * 100_000, b"[7]", b'{"error": {"message": "x"}}'),
    b'{"base_resp": {"status_code": 1004}}',
]


@pytest.mark.parametrize("body", NO_LISTS)
def test_what_is_no_list(body: bytes) -> None:
    with pytest.raises((ValueError, RecursionError)):
        models_of(body)
    assert listed_models(Answer(200, body=body)) is None
