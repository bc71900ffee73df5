"""Offers: names with sizes and prices, and who says so."""

from __future__ import annotations

import json

import pytest

from holdgate.core.catalog.model_facts import Facts, read_facts
from holdgate.core.traffic.offers import Offer, limits_of, may_be_known, offers
from holdgate.core.traffic.routing import Lists, plan
from holdgate.core.values.settings import Key, Model, Provider, Route, Settings

LINE = [100, 10, 1.5, 6, 0.1]


@pytest.fixture(scope="module")
def facts() -> Facts:
    vendors = {"anthropic": {"claude-1": LINE, "claude-2": [200, 20, None, None, None, ""]}}
    vendors["anthropic"]["whole"] = [300, 300, None, None, None, ""]
    found = {"format": 1, "date": "2026-01-01", "origin": "a test", "vendors": vendors}
    return read_facts(json.dumps(found).encode())


def provider(
    models: tuple[Model, ...] | None, url: str = "https://vendor.test", preset: str = "anthropic"
) -> Provider:
    return Provider(name="one", preset=preset, messages=url, keys=(Key(),), models=models)


def only(of: Provider, facts: Facts | None, lists: Lists | None = None) -> Offer:
    (found,) = offers(Settings(providers={"one": of}), lists or {}, facts)
    return found


def test_the_configuration_goes_first_then_the_list_then_the_facts(facts: Facts) -> None:
    found = only(provider((Model("claude-1", context=1, output=2),)), facts)
    assert (found.context, found.output, found.price_in) == (1, 2, 1.5)
    assert found.sources == ("config", "models.dev")
    found = only(provider(None), facts, {"one": (Model("claude-1", context=3),)})
    assert (found.context, found.output, found.price_out) == (3, 10, 6)
    assert found.sources == ("list", "models.dev")
    found = only(provider((Model("claude-1"),)), facts)
    assert (found.context, found.output, found.sources) == (100, 10, ("models.dev",))
    found = only(provider((Model("claude-1"),)), None)
    assert (found.context, found.price_in, found.sources) == (0, None, ())


def test_the_vendors_name_of_a_model_is_looked_for(facts: Facts) -> None:
    assert only(provider((Model("fast", vendor_id="claude-1"),)), facts).context == 100


@pytest.mark.parametrize(
    ("url", "known"),
    [
        ("https://relay.example", True),
        ("http://127.0.0.1:8080", False),
        ("http://[::1]:8080", False),
        ("http://192.168.1.7:8080", False),
        ("http://localhost:8080", False),
        ("http://box.local", False),
        ("http://box:8080", False),
    ],
)
def test_of_a_server_at_home_nothing_is_said(facts: Facts, url: str, known: bool) -> None:
    found = only(provider((Model("claude-1"),), url, preset=""), facts)
    assert (found.context == 100) == known
    assert found.price_in is None


def test_a_reply_as_long_as_all_that_fits_in_is_shown_but_holds_no_request(facts: Facts) -> None:
    one = provider((Model("whole"),))
    assert only(one, facts).output == 300
    assert limits_of(facts, one, "whole") == (300, 0)
    assert limits_of(facts, one, "claude-1") == (100, 10)
    assert limits_of(facts, one, "nobody") == (0, 0)


@pytest.mark.parametrize(
    ("preset", "url", "known"),
    [
        ("anthropic", "http://127.0.0.1:1", True),
        ("openai-compatible", "http://127.0.0.1:1", False),
        ("openai-compatible", "https://relay.example", True),
        ("ollama", "https://relay.example", False),
    ],
)
def test_presets_of_no_vendor_are_like_none(preset: str, url: str, known: bool) -> None:
    assert may_be_known(provider(None, url, preset)) == known


def test_a_route_is_told_by_its_first_candidate(facts: Facts) -> None:
    settings = Settings(
        providers={"one": provider(None)},
        routes={"coder": Route("coder", ("one/claude-2", "one/claude-1"))},
    )
    (found,) = offers(settings, {}, facts)
    assert found.as_json() == {
        "id": "coder",
        "owner": "route",
        "dialects": ["chat", "responses", "messages", "gemini"],
        "spoken": ["messages"],
        "candidates": ["one/claude-2", "one/claude-1"],
        "context": 200,
        "output": 20,
        "prices": None,
        "sources": ["models.dev"],
    }


def test_a_plan_takes_sizes_from_elsewhere_only_where_none_are_told() -> None:
    of = Settings(providers={"one": provider((Model("a", context=5), Model("b")))})
    asked: list[str] = []

    def sizes(_: Provider, model: str) -> tuple[int, int]:
        asked.append(model)
        return 7, 8

    (a,) = plan(of, {}, "one/a", "messages", "generate", sizes).candidates
    (b,) = plan(of, {}, "one/b", "messages", "generate", sizes).candidates
    lists = {"one": (Model("b", context=1, output=2),)}
    (c,) = plan(of, lists, "one/b", "messages", "generate", sizes).candidates
    assert [(each.context, each.output) for each in (a, b, c)] == [(5, 8), (7, 8), (1, 2)]
    assert asked == ["a", "b"]
