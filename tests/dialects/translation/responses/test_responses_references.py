"""References: items that an agent names are put back as it was told them, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.dialects.translation.responses.references import (
    may_refer,
    told_items,
    with_items,
)
from holdgate.core.dialects.translation.responses.request_reader import read_request

TOLD = {"msg_1": b'{"type":"message","id":"msg_1","role":"assistant","content":[]}'}
REFERENCE = {"type": "item_reference", "id": "msg_1"}


def body(*items: Any, **more: Any) -> bytes:
    """Give a request."""
    return json.dumps({"model": "m", "input": list(items), **more}).encode()


def test_what_is_known_takes_the_place_of_its_name() -> None:
    other = {"type": "item_reference", "id": "msg_2"}
    found = json.loads(with_items(body("Hi", REFERENCE, other, seed=2), TOLD.get))
    assert found == {"model": "m", "input": ["Hi", json.loads(TOLD["msg_1"]), other], "seed": 2}


@pytest.mark.parametrize(
    "odd",
    [
        b'{"input":"say item_reference"}',
        b'{"input":"\\"item_reference\\""}',
        b'{"x":"item_reference"}',
        b'["item_reference"]',
        b'{"input":{"type":"item_reference"}}',
        body({"type": "message", "role": "user", "content": "Hi"}),
    ],
)
def test_all_else_stays_as_it_came(odd: bytes) -> None:
    assert with_items(odd, TOLD.get) == odd


def test_only_a_name_is_one() -> None:
    said = {"type": "message", "id": "msg_1", "role": "user", "content": '"item_reference"'}
    odd = body(7, said, {"type": "item_reference"}, {"type": 5, "id": "msg_1"}, REFERENCE)
    assert json.loads(with_items(odd, TOLD.get))["input"][:-1] == json.loads(odd)["input"][:-1]


def test_items_are_found_in_events_and_in_whole_replies() -> None:
    item = TOLD["msg_1"]
    said = b'data: {"type":"response.output_item.done","output_index":0,"item":%b}\n\n' % item
    talk = b'data: {"type":"response.output_text.delta","delta":"response.output_item.done"}\n\n'
    assert dict(told_items(talk + said + b"data: [DONE]\n\n")) == TOLD
    assert dict(told_items(b'{"id":"resp_1","output":[%b]}' % item)) == TOLD
    assert not list(told_items(talk)) and not list(told_items(b""))


@pytest.mark.parametrize(
    ("more", "may"), [({}, True), ({"store": True}, True), ({"store": False}, False)]
)
def test_an_agent_may_refer_unless_it_said_that_nothing_is_stored(
    more: dict[str, Any], may: bool
) -> None:
    assert may_refer(read_request(body("Hi", **more), "m")) is may


@pytest.mark.parametrize(("id", "grave"), [("rs_1", False), ("msg_1", True), ("fc_1", True)])
def test_thinking_that_is_not_known_may_be_left_out(id: str, grave: bool) -> None:
    request = read_request(body("Hi", {"type": "item_reference", "id": id}), "m")
    (loss,) = request.losses
    assert (loss.path, loss.grave) == ("input[1]", grave)
