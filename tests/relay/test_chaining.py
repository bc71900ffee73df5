"""Chaining: `previous_response_id` of a reply whose id was the gateway's own."""

from __future__ import annotations

import json

from tests import virtual_loop
from tests.relay.stage import ROUTE, Asking, Pair, Stage, answers, provider, settings

PAIR: Pair = ("responses", "sse")
TWO = settings(provider("one"), provider("two"))


def body(previous: str) -> bytes:
    asked = {"model": ROUTE, "stream": True, "previous_response_id": previous, "input": "go on"}
    return json.dumps(asked).encode()


def go_on(previous: str | None, *, after: float = 200.0) -> tuple[Asking, Stage]:
    """Ask, and go on from that reply (`previous` None) or from another."""

    async def scene() -> tuple[Asking, Stage]:
        stage = Stage(TWO, {"one": [answers(PAIR, after), answers(PAIR)], "two": [answers(PAIR)]})
        first = await stage.ask(PAIR).done()
        told = next(
            json.loads(line[6:])["response"]["id"]
            for line in first.body.splitlines()
            if line.startswith(b"data: ") and b"response.created" in line
        )
        return await stage.ask(PAIR, body=body(previous or told)).done(), stage

    return virtual_loop.run(scene())


def test_our_id_is_rewritten_to_the_vendors_and_goes_to_its_key() -> None:
    asking, stage = go_on(None)
    assert asking.record.state == "done"
    assert [each.provider for each in stage.upstream.asked] == ["one", "one"]
    sent = json.loads(stage.upstream.asked[1].outgoing.body)["previous_response_id"]
    assert sent and not sent.startswith("hg-")
    assert sent == stage.book.records[0].vendor_id


def test_a_vendors_own_id_passes_as_it_is() -> None:
    _, stage = go_on("resp_theirs", after=1.0)
    assert b'"resp_theirs"' in stage.upstream.asked[1].outgoing.body


def test_an_id_of_ours_that_nobody_knows_is_a_400() -> None:
    asking, stage = go_on("hg-" + "0" * 20)
    assert asking.told[0].status == 400 and len(stage.upstream.asked) == 1
    assert "previous_response_id" in json.loads(asking.body)["error"]["message"]
