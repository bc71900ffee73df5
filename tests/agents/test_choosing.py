"""Which models an agent is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from holdgate.core.agents.base import Offered
from holdgate.core.agents.choosing import (
    Choice,
    NoSuchTier,
    chosen,
    is_known,
    may_serve_own,
    named,
    offered,
)
from holdgate.core.config.load import load
from holdgate.core.values.settings import Settings
from tests.agents.houses import JAY, TEE

CONFIG = """
[providers.deepseek]
preset = "deepseek"
models = [{ id = "chat", context = 64000, output = 8000 }, "reasoner"]
[providers.ollama]
preset = "ollama"
[routes.coder]
candidates = ["deepseek/chat", "ollama/big", "deepseek/reasoner"]
[routes.other]
candidates = ["ollama/big"]
"""
EASY = replace(JAY, needs_model=False)


@pytest.fixture(scope="module")
def settings() -> Settings:
    return load(CONFIG, "config.toml")


def test_models_by_tier() -> None:
    assert named(JAY, ["a/b", "small=c"]) == {"": "a/b", "small": "c"}
    assert named(JAY, []) == {}
    for wrong in ("large=x", "=x", "small=", " "):
        with pytest.raises(NoSuchTier):
            named(JAY, [wrong])
    with pytest.raises(NoSuchTier, match="tee has no tier 'small'; it has one model: say -m MODEL"):
        named(TEE, ["small=x"])


@pytest.mark.parametrize(
    ("asked", "routes", "models", "before", "choice"),
    [
        ({"": "m"}, ["r"], ["r", "p/m"], {"": "old"}, Choice({"": "m"})),
        ({}, ["r"], ["r", "p/m"], {"": "old", "small": "s"},
         Choice({"": "old", "small": "s"}, "as before")),
        ({"small": "t"}, ["r"], [], {"": "old"}, Choice({"": "old", "small": "t"}, "as before")),
        ({}, ["r"], ["r", "p/m"], {}, Choice({"": "r"}, "the only route")),
        ({"small": "t"}, ["r", "q"], ["r"], {}, Choice({"": "r", "small": "t"}, "the first route")),
        ({}, [], ["p/m"], {}, Choice({"": "p/m"}, "the only model of the configuration")),
        ({}, [], ["p/m", "p/n"], {}, Choice({"": "p/m"}, "the first model of the configuration")),
        ({}, [], [], {}, None),
    ],
)  # fmt: skip
def test_the_main_model(
    asked: Mapping[str, str],
    routes: list[str],
    models: list[str],
    before: Mapping[str, str],
    choice: Choice | None,
) -> None:
    assert chosen(JAY, asked, routes, models, before, own=True) == choice
    assert chosen(EASY, asked, routes, models, before) == (choice or Choice({}))


def test_an_agent_with_models_of_its_own_keeps_them_where_they_may_be_had() -> None:
    assert chosen(EASY, {"small": "s"}, ["r"], [], {}, own=True) == Choice({"small": "s"})
    assert chosen(EASY, {}, ["r"], [], {"": "old"}, own=True) == Choice({"": "old"}, "as before")


def test_whether_they_may_be_had(settings: Settings) -> None:
    messages, chat = replace(JAY, dialect="messages"), replace(JAY, dialect="chat")
    names = [each.name for each in offered(settings)]
    assert may_serve_own(chat, settings, names)  # ollama's list is open
    closed = replace(settings, providers={"deepseek": settings.providers["deepseek"]})
    assert not may_serve_own(messages, closed, names)
    assert may_serve_own(messages, closed, [*names, "relay/claude-opus-4-8"])
    anthropic = load('[providers.a]\npreset = "anthropic"', "config.toml")
    assert may_serve_own(messages, anthropic, [])
    assert not may_serve_own(replace(JAY, dialect="gemini"), anthropic, [])


def test_what_a_configuration_offers(settings: Settings) -> None:
    assert offered(settings) == (
        Offered("coder", 64000, 8000), Offered("other"),
        Offered("deepseek/chat", 64000, 8000), Offered("deepseek/reasoner"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("coder", True), ("deepseek/chat", True), ("chat", True), ("ollama/anything", True),
        ("deepseek/x", False), ("x", False), ("x/chat", False),
    ],
)  # fmt: skip
def test_which_names_are_known(settings: Settings, name: str, known: bool) -> None:
    assert is_known(settings, name) == known
