"""Lists of models: what is known answers at once, and nobody waits for a vendor that is dead."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

import pytest

from holdgate.core.relay.model_lists import COMPLETE_WITHIN, FRESH, PATIENCE, SOON, ModelLists
from holdgate.core.relay.roster import Current, Roster
from holdgate.core.values.errors import FaultKind
from holdgate.core.values.kept_lists import KeptList
from holdgate.core.values.secret import Secret
from holdgate.core.values.settings import Model, Provider, Settings
from tests import virtual_loop
from tests.relay.stage import Script, ScriptedUpstream, data, end, head, lost, provider, sent

OLD = virtual_loop.EPOCH - 30 * 86400


def lists(*models: str, after: float = 0.0) -> Script:
    body = json.dumps({"data": [{"id": model} for model in models]}).encode()
    return [sent(), head(after), data(0, body), end()]


DEAD: Script = [sent()]  # nothing comes, ever
REFUSED: Script = [lost(unanswered=True)]


class Scene:
    """Lists over scripted vendors, each of which has no `models` of its own."""

    def __init__(self, scripts: Mapping[str, list[Script]], *kept: KeptList) -> None:
        loop = asyncio.get_running_loop()
        self.upstream = ScriptedUpstream(loop.time, scripts)
        self.put: list[KeptList] = []
        self.current = Current(roster_of(*(unlisted(name) for name in scripts)))
        clock = virtual_loop.clock_of(loop)
        self.lists = ModelLists(self.current, self.upstream, clock, kept, self.put.append)

    async def took(self, doing: Awaitable[None]) -> float:
        """Give the seconds that it took."""
        began = asyncio.get_running_loop().time()
        await doing
        return asyncio.get_running_loop().time() - began

    @property
    def asked(self) -> list[str]:
        return [each.provider for each in self.upstream.asked]

    @property
    def known(self) -> dict[str, list[str]]:
        return {name: [each.id for each in found] for name, found in self.lists.known.items()}


def unlisted(name: str) -> Provider:
    return replace(provider(name), models=None)


def roster_of(*providers: Provider) -> Roster:
    keys = {(each.name, key.name): Secret("k") for each in providers for key in each.keys}
    return Roster(Settings(providers={each.name: each for each in providers}), keys)


def kept(name: str, *models: str, at: float = OLD, url: str = "") -> KeptList:
    found = tuple(Model(id=model) for model in models)
    return KeptList(name, url or f"http://{name}.test/v1/models", at, found)


def played(
    scripts: Mapping[str, list[Script]], scene: Callable[[Scene], Awaitable[None]], *of: KeptList
) -> None:
    async def play() -> None:
        await scene(Scene(scripts, *of))

    virtual_loop.run(play())


def test_a_list_is_asked_for_when_needed_and_kept() -> None:
    async def scene(on: Scene) -> None:
        assert on.asked == []
        await on.lists.learn("a")
        await on.lists.learn("one/whatever")  # needs none
        assert (on.asked, on.known) == (["one"], {"one": ["a"]})
        assert on.put == [kept("one", "a", at=virtual_loop.EPOCH)]
        await asyncio.sleep(FRESH)
        await on.lists.complete()
        assert on.asked == ["one"]

    played({"one": [lists("a")]}, scene)


def test_a_stale_list_answers_at_once_and_is_renewed_meanwhile() -> None:
    async def scene(on: Scene) -> None:
        for doing in (on.lists.complete(), on.lists.learn("a")):
            assert await on.took(doing) == 0
            assert on.known == {"one": ["a"]}
        await asyncio.sleep(2)
        assert (on.asked, on.known) == (["one"], {"one": ["a", "b"]})

    played({"one": [lists("a", "b", after=1)]}, scene, kept("one", "a"))


def test_a_model_that_the_stale_list_has_not_is_waited_for() -> None:
    async def scene(on: Scene) -> None:
        assert await on.took(on.lists.learn("b")) == 1
        assert on.known == {"one": ["a", "b"]}

    played({"one": [lists("a", "b", after=1)]}, scene, kept("one", "a"))


def test_a_dead_vendor_delays_nobody_who_asks_for_another_ones_model() -> None:
    async def scene(on: Scene) -> None:
        assert await on.took(on.lists.learn("a")) == pytest.approx(0.1 + SOON)
        assert on.known == {"one": ["a"]}
        # Now that it gave no answer, it is hardly waited for even by those that nobody has.
        await asyncio.sleep(PATIENCE)
        assert list(on.lists.failed) == ["dead"]
        assert await on.took(on.lists.learn("none")) == 0
        await asyncio.sleep(FRESH)
        assert await on.took(on.lists.learn("a")) == 0
        assert await on.took(on.lists.learn("none")) == pytest.approx(SOON)
        assert await on.took(on.lists.complete()) == 0
        assert on.asked == ["one", "dead", "one", "dead"]

    played({"one": [lists("a", after=0.1), lists("a")], "dead": [DEAD, DEAD]}, scene)


def test_a_dead_vendor_with_a_kept_list_delays_nobody() -> None:
    async def scene(on: Scene) -> None:
        assert await on.took(on.lists.learn("a")) == 0
        assert await on.took(on.lists.complete()) == 0
        await asyncio.sleep(PATIENCE)
        assert on.known == {"dead": ["a"]}

    played({"dead": [DEAD]}, scene, kept("dead", "a"))


def test_nobody_waits_long_for_what_nobody_has() -> None:
    async def scene(on: Scene) -> None:
        took = await on.took(on.lists.learn("none"))
        assert took == pytest.approx(COMPLETE_WITHIN + SOON)

    played({"dead": [DEAD]}, scene)


def test_a_server_that_was_down_and_answers_soon_is_heard() -> None:
    async def scene(on: Scene) -> None:
        await on.lists.learn("a")
        assert on.lists.failed["one"].kind is FaultKind.NETWORK
        await asyncio.sleep(FRESH + 1)
        await on.lists.learn("a")
        assert on.known == {"one": ["a"]} and not on.lists.failed

    played({"one": [REFUSED, lists("a", after=0.1)]}, scene)


def test_both_that_have_a_model_are_known_before_it_is_sent_to_one() -> None:
    async def scene(on: Scene) -> None:
        await on.lists.learn("a")
        assert on.known == {"one": ["a"], "two": ["a"]}

    played({"one": [lists("a")], "two": [lists("a", after=SOON / 2)]}, scene)


def test_a_provider_that_was_pointed_elsewhere_is_not_answered_from_the_old_list() -> None:
    async def scene(on: Scene) -> None:
        assert on.known == {}
        await on.lists.complete()
        assert on.known == {"one": ["a"]}
        moved = replace(unlisted("one"), chat="http://two.test/v1")
        on.current.roster = roster_of(moved)
        on.lists.forget()
        assert on.known == {}

    played({"one": [lists("a")]}, scene, kept("one", "old", url="http://other.test/v1/models"))


def test_after_a_change_of_the_configuration_it_is_asked_again_and_answers_meanwhile() -> None:
    async def scene(on: Scene) -> None:
        await on.lists.complete()
        version = on.lists.version
        on.lists.forget()
        assert on.lists.version > version and on.known == {"one": ["a"]}
        assert await on.took(on.lists.complete()) == 0
        await asyncio.sleep(2)
        assert on.known == {"one": ["b"]}

    played({"one": [lists("a"), lists("b", after=1)]}, scene)


def test_renewing_waits_for_all_and_tells_who_failed() -> None:
    async def scene(on: Scene) -> None:
        assert await on.took(on.lists.renew()) == 5
        assert on.known == {"one": ["a"], "two": ["b"]}
        assert list(on.lists.failed) == ["three"]
        await on.lists.renew("three")
        assert on.asked == ["one", "two", "three", "three"] and not on.lists.failed

    scripts = {
        "one": [lists("a", after=5)],
        "two": [lists("b")],
        "three": [REFUSED, lists("c")],
    }
    played(scripts, scene)


def test_an_empty_list_is_not_kept() -> None:
    async def scene(on: Scene) -> None:
        await on.lists.complete()
        assert (on.known, on.put) == ({}, [])

    played({"one": [lists()]}, scene)


def test_a_clock_that_was_set_back_makes_no_list_fresh_for_ever() -> None:
    async def scene(on: Scene) -> None:
        await on.lists.complete()
        await asyncio.sleep(1)
        assert on.asked == ["one"]

    played({"one": [lists("a")]}, scene, kept("one", "a", at=virtual_loop.EPOCH + 1e6))
