"""The reference page, and what `gateway config show` shows."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from holdgate.core.config.describe import example, render_reference, show
from holdgate.core.config.example import STARTER
from holdgate.core.config.load import load
from holdgate.core.config.tables import declared
from holdgate.core.values.settings import Hold, Provider, Queue, Server, Settings

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == render_reference(), (
        "regenerate it: python -m holdgate.core.config.describe docs/configuration.md"
    )


def test_the_example_is_right_and_holds_the_defaults() -> None:
    settings = load(example(), "config.toml")
    empty = Settings()
    assert (settings.server, settings.hold, settings.queue) == (
        empty.server, empty.hold, empty.queue,
    )  # fmt: skip


def test_the_example_is_full() -> None:
    data = tomllib.loads(example())
    for section, cls in (("server", Server), ("hold", Hold), ("queue", Queue)):
        assert set(data[section]) == set(declared(cls))
    used = {key for table in data["providers"].values() for key in table}
    assert used == {*declared(Provider), "key", "keys", "models"}


def test_the_starter_is_an_empty_configuration_that_becomes_a_right_one() -> None:
    assert load(STARTER, "config.toml") == Settings()
    prose, _, tables = STARTER.partition("\n\n")
    assert prose.startswith("#")
    load(tables.replace("# [", "[").replace("\n# ", "\n"), "config.toml")


def test_every_setting_is_shown() -> None:
    shown = show(load(example(), "config.toml"))
    assert set(shown) == {field.name for field in fields(Settings)}
    assert set(shown["server"]) == set(declared(Server))
    assert set(shown["providers"]["relay"]) >= {*declared(Provider), "keys", "models", "auth"}
    assert shown["hold"]["longest"] == "10m"
    assert shown["hold"]["first_token"] == 0
    assert shown["server"]["max_body"] == "128MiB"
    assert shown["callers"]["background"]["hold"] == {"open_after": "4m"}
    json.dumps(shown)


def test_limits_of_keys_are_those_in_force() -> None:
    text = (
        "[providers.a]\npreset = 'zai'\nconcurrency = 3\nrpm = 9\n"
        "keys = [{ value = 'env:A', rpm = 2 }]\n"
    )
    (key,) = show(load(text, "config.toml"))["providers"]["a"]["keys"]
    assert (key["concurrency"], key["rpm"], key["tpm"]) == (3, 2, 0)


def test_odd_durations_stay_exact() -> None:
    text = "[hold]\nafter = 90.25\nevery = 100000\nplace = '250ms'\n"
    hold = show(load(text, "config.toml"))["hold"]
    assert (hold["after"], hold["every"], hold["place"]) == (90.25, "1d3h46m40s", "250ms")


@pytest.mark.parametrize("value", ["env:A", "file:/a", "keyring:a", "sk-secret-1234567", "plain"])
def test_where_a_key_is_kept_is_shown_and_a_key_is_not(value: str) -> None:
    shown = show(load(f"[providers.a]\npreset = 'zai'\nkey = '{value}'\n", "config.toml"))
    expected = value if ":" in value else "***"
    assert shown["providers"]["a"]["keys"][0]["value"] == expected


def test_other_secrets_are_masked() -> None:
    text = (
        "[providers.a]\nchat = 'https://a.example/v1'\n"
        "proxy = 'http://me:hunter3@proxy.example'\n"
        "headers = { Authorization = 'Bearer hunter4', X-Team = 'a', "
        "X-Id = 'sk-hunter-6', x-api-key = 'hunter5' }\n"
    )
    shown = show(load(text, "config.toml"))["providers"]["a"]
    assert shown["proxy"] == "http://***@proxy.example"
    assert shown["headers"] == {
        **{"Authorization": "***", "X-Team": "a", "X-Id": "***", "x-api-key": "***"}
    }
    assert "hunter" not in json.dumps(shown)
