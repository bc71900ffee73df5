"""Routing: what each name that an agent may ask for stands for, and why it stands for nothing."""

from __future__ import annotations

from typing import Any

import pytest

from holdgate.core.traffic.routing import (
    Lists,
    Plan,
    all_models,
    describe_names,
    plan,
    speaks,
    spoken,
    tongue_of,
    unknown_model,
)
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Candidate, Task
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.settings import Key, Model, Provider, Route, Settings

KEYS = (Key(),)


def provider(
    name: str, *models: str | Model, keys: tuple[Key, ...] = KEYS, **more: Any
) -> Provider:
    """Give a provider; without models the vendor's own list counts."""
    listed = tuple(model if isinstance(model, Model) else Model(id=model) for model in models)
    more = more or {"chat": "https://a.example/v1"}
    return Provider(name, keys=keys, models=listed or None, **more)


def settings(*providers: Provider, routes: tuple[Route, ...] = ()) -> Settings:
    return Settings(
        providers={each.name: each for each in providers},
        routes={each.name: each for each in routes},
    )


DEEPSEEK = provider("deepseek", "deepseek-chat", "both")
RELAY = provider(
    "relay",
    Model(id="sonnet", vendor_id="claude-sonnet-5", dialects=("messages",)),
    "both",
    "meta/llama",
    keys=(Key(name="home"), Key(name="off", on=False), Key(name="work")),
    chat="https://r.example/v1",
    messages="https://r.example",
)
OPEN = provider("open", gemini="https://g.example")
CODER = Route("coder", candidates=("deepseek/deepseek-chat", "relay/both"))
ALL = settings(DEEPSEEK, RELAY, OPEN, routes=(CODER,))


def ask(
    model: str,
    dialect: DialectName = "chat",
    task: Task = "generate",
    *,
    known: Settings = ALL,
    lists: Lists | None = None,
) -> Plan:
    return plan(known, lists or {}, model, dialect, task)


def names(made: Plan) -> list[str]:
    return [f"{c.provider}:{c.key}/{c.vendor_model}" for c in made.candidates]


def refusal(model: str, dialect: DialectName = "chat", **more: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        ask(model, dialect, **more)
    return caught.value


def test_a_provider_and_its_model() -> None:
    made = ask("deepseek/deepseek-chat")
    candidate = Candidate("deepseek", "default", "deepseek-chat", "deepseek-chat", "chat")
    assert (made.name, made.candidates) == ("deepseek/deepseek-chat", (candidate,))
    assert made.candidates[0].lane == ("deepseek", "default")
    assert made.summary == "deepseek/deepseek-chat (asked by name)"


def test_each_key_that_is_on_is_a_candidate() -> None:
    made = ask("relay/sonnet", "messages")
    assert names(made) == ["relay:home/claude-sonnet-5", "relay:work/claude-sonnet-5"]
    assert [candidate.model for candidate in made.candidates] == ["sonnet", "sonnet"]
    assert made.choices[0].why == "asked by name, key home"


@pytest.mark.parametrize(
    ("model", "asked"),
    [
        ("deepseek/deepseek-chat", "deepseek:default/deepseek-chat"),
        ("deepseek/not-listed", "deepseek:default/not-listed"),
        ("deepseek/with/slashes", "deepseek:default/with/slashes"),
        ("deepseek-chat", "deepseek:default/deepseek-chat"),
        ("meta/llama", "relay:home/meta/llama"),
        ("relay/meta/llama", "relay:home/meta/llama"),
    ],
)
def test_ways_to_say_a_model(model: str, asked: str) -> None:
    assert names(ask(model))[0] == asked


def test_a_route_keeps_its_order() -> None:
    made = ask("coder")
    assert (made.name, made.order, made.affinity) == ("coder", "given", "auto")
    assert names(made) == [
        "deepseek:default/deepseek-chat",
        "relay:home/both",
        "relay:work/both",
    ]
    assert [choice.why for choice in made.choices] == [
        "route coder, place 1",
        "route coder, place 2, key home",
        "route coder, place 2, key work",
    ]


def test_a_route_says_its_order_and_its_affinity() -> None:
    route = Route("spread", candidates=("relay/both",), order="least-busy", affinity="conversation")
    made = ask("spread", known=settings(RELAY, routes=(route,)))
    assert (made.order, made.affinity) == ("least-busy", "conversation")


def test_of_a_route_those_that_speak_another_dialect_are_asked_in_theirs() -> None:
    made = ask("coder", "messages")
    assert names(made) == ["deepseek:default/deepseek-chat", "relay:home/both", "relay:work/both"]
    assert [each.dialect for each in made.candidates] == ["chat", "messages", "messages"]


def test_of_a_route_only_those_that_speak_the_dialect_count_tokens() -> None:
    counted = ask("coder", "messages", task="count_tokens")
    assert names(counted) == ["relay:home/both", "relay:work/both"]


def test_tokens_that_nobody_counts_in_this_dialect_are_estimated() -> None:
    assert ask("deepseek/deepseek-chat", "gemini", task="count_tokens").candidates == ()


@pytest.mark.parametrize(
    ("model", "spoken", "preset", "dialect", "asked"),
    [
        ("claude-sonnet-5", ("chat", "messages"), "", "responses", "messages"),
        ("anthropic/claude-3", ("chat", "messages"), "", "gemini", "messages"),
        ("claude-sonnet-5", ("chat",), "", "messages", "chat"),
        ("gpt-9", ("chat", "responses"), "openai", "messages", "responses"),
        ("gpt-9", ("chat", "responses"), "", "messages", "chat"),
        ("gemini-3-pro", ("chat", "gemini"), "", "messages", "gemini"),
        ("glm-5", ("chat", "messages"), "", "gemini", "chat"),
        ("glm-5", ("messages",), "", "chat", "messages"),
        ("glm-5", ("chat", "messages"), "", "messages", "messages"),
    ],
)
def test_in_which_dialect_a_vendor_is_asked(
    model: str,
    spoken: tuple[DialectName, ...],
    preset: str,
    dialect: DialectName,
    asked: DialectName,
) -> None:
    bases: dict[str, Any] = dict.fromkeys(spoken, "http://x.test")
    vendor = Provider("x", preset=preset, keys=(Key(),), **bases)
    assert tongue_of(vendor, Model(id=model), dialect, "generate") == asked
    assert tongue_of(vendor, Model(id=model), dialect, "embeddings") in (None, dialect)


def test_a_route_comes_before_a_model_of_its_name() -> None:
    known = settings(DEEPSEEK, RELAY, routes=(Route("both", candidates=("relay/both",)),))
    assert names(ask("both", known=known)) == ["relay:home/both", "relay:work/both"]


def test_a_bare_name_that_two_have_is_ambiguous() -> None:
    fault = refusal("both")
    assert fault.kind is FaultKind.REQUEST
    assert "deepseek/both or relay/both" in fault.message


def test_a_bare_name_may_be_on_the_vendors_list() -> None:
    lists = {"open": (Model(id="gemini-3"),)}
    assert names(ask("gemini-3", "gemini", lists=lists)) == ["open:default/gemini-3"]


def test_models_in_the_configuration_replace_the_vendors_list() -> None:
    assert refusal("other", lists={"deepseek": (Model(id="other"),)}).kind is FaultKind.MODEL


def test_the_only_provider_is_asked_while_nothing_is_known() -> None:
    known = settings(OPEN)
    assert names(ask("anything", "gemini", known=known)) == ["open:default/anything"]
    fault = refusal("anything", "gemini", known=known, lists={"open": (Model(id="gemini-3"),)})
    assert fault.kind is FaultKind.MODEL


def test_an_unknown_model_is_told_with_the_nearest() -> None:
    fault = refusal("deepseek-chta")
    assert fault.kind is FaultKind.MODEL
    assert fault.message.startswith("deepseek-chta: ")
    assert "did you mean " in fault.message
    assert "deepseek/deepseek-chat" in fault.message


def test_an_unknown_model_far_from_all_others() -> None:
    assert "GET /v1/models" in refusal("zzz").message


def test_without_providers_it_says_what_to_do() -> None:
    fault = unknown_model(Settings(), {}, "m")
    assert fault.kind is FaultKind.MODEL
    assert "gateway serve --demo" in fault.message


def test_a_dialect_that_nobody_speaks() -> None:
    fault = refusal("deepseek/deepseek-chat", "gemini", task="embeddings")
    assert fault.kind is FaultKind.REQUEST
    assert "speaks chat" in fault.message
    assert "dialect gemini" in fault.message


def test_a_model_may_speak_less_than_its_provider() -> None:
    assert ask("relay/sonnet", "chat").candidates[0].dialect == "messages"
    told = refusal("deepseek/deepseek-chat", "responses", task="embeddings").message
    assert "deepseek/deepseek-chat: speaks chat" in told


def test_a_provider_without_a_key_that_is_on() -> None:
    known = settings(provider("a", "m", keys=(Key(on=False),)))
    fault = refusal("a/m", known=known)
    assert fault.kind is FaultKind.REQUEST
    assert "switched off" in fault.message


@pytest.mark.parametrize(
    ("model", "dialect", "task", "does"),
    [
        ("sonnet", "messages", "generate", True),
        ("sonnet", "messages", "count_tokens", True),
        ("sonnet", "chat", "generate", False),
        ("sonnet", "chat", "embeddings", True),
        ("both", "chat", "generate", True),
        ("both", "gemini", "generate", False),
        ("both", "responses", "generate", False),
    ],
)
def test_who_speaks_what(model: str, dialect: DialectName, task: Task, does: bool) -> None:
    assert speaks(RELAY, RELAY.model(model), dialect, task) is does


def test_all_that_may_be_asked() -> None:
    listed = all_models(ALL, {"open": (Model(id="gemini-3"),), "deepseek": (Model(id="x"),)})
    assert [(each.id, each.owner, each.dialects) for each in listed] == [
        ("coder", "route", DIALECT_NAMES),
        ("deepseek/deepseek-chat", "deepseek", DIALECT_NAMES),
        ("deepseek/both", "deepseek", DIALECT_NAMES),
        ("relay/sonnet", "relay", DIALECT_NAMES),
        ("relay/both", "relay", DIALECT_NAMES),
        ("relay/meta/llama", "relay", DIALECT_NAMES),
        ("open/gemini-3", "open", DIALECT_NAMES),
    ]


@pytest.mark.parametrize("dialect", ["chat", "messages", "gemini", "responses"])
def test_what_is_listed_can_be_asked(dialect: DialectName) -> None:
    lists = {"open": (Model(id="gemini-3"),)}
    for each in all_models(ALL, lists):
        if dialect in each.dialects:
            assert ask(each.id, dialect, lists=lists).candidates


def test_how_names_resolve() -> None:
    told = dict(describe_names(ALL))
    assert told["coder"] == "route: deepseek/deepseek-chat, then relay/both (order given)"
    assert told["relay/sonnet"] == "relay as claude-sonnet-5: messages"
    assert told["relay/both"] == "relay: chat, messages"
    assert told["open/…"] == "any model that the vendor lists"


def test_spoken_dialects_have_one_order() -> None:
    assert spoken(RELAY, Model(id="any")) == ("chat", "messages")
