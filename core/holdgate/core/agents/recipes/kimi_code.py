"""Kimi Code, by Moonshot, and its forerunner kimi-cli, whose settings are elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish
from holdgate.core.agents.recipes.entries import context, listed, output, title


def _home(machine: Machine) -> Path:
    return machine.folder("KIMI_CODE_HOME", ".kimi-code")


def _old_home(machine: Machine) -> Path:
    return machine.folder("KIMI_SHARE_DIR", ".kimi")


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    model = next((e for e in wish.listed() if e.name == wish.model), Offered(wish.model))
    return {
        "KIMI_MODEL_NAME": wish.model,
        "KIMI_MODEL_PROVIDER_TYPE": "openai",
        "KIMI_MODEL_BASE_URL": f"{wish.url}/v1",
        "KIMI_MODEL_API_KEY": wish.key,
        "KIMI_MODEL_DISPLAY_NAME": title(wish.model),
        "KIMI_MODEL_MAX_CONTEXT_SIZE": str(context(model)),
        # Without it Kimi Code asks for 131,072 tokens, which many vendors refuse.
        "KIMI_MODEL_MAX_OUTPUT_SIZE": str(output(model)),
    }


def _old_variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    return {
        "KIMI_BASE_URL": f"{wish.url}/v1",
        "KIMI_API_KEY": wish.key,
        "KIMI_MODEL_NAME": wish.model,
    }


def _settings(wish: Wish, kind: str, models: Mapping[str, object]) -> tuple[Edit, ...]:
    """Give the edits of a config.toml, which both programs have in nearly the same shape."""
    provider = {"type": kind, "base_url": f"{wish.url}/v1", "api_key": wish.key}
    chosen = Edit(("default_model",), f"holdgate/{wish.model}")
    entries = (Edit(("models", f"holdgate/{name}"), each) for name, each in models.items())
    return (chosen, Edit(("providers", "holdgate"), provider), *entries)


def _model(model: Offered) -> dict[str, object]:
    return {"provider": "holdgate", "model": model.name, "max_context_size": context(model)}


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    models = {e.name: _model(e) | {"max_output_size": output(e)} for e in listed(wish)}
    edits = _settings(wish, "openai", models)
    return (FileEdits(_home(machine) / "config.toml", "toml", edits),)


def _old_connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    edits = _settings(wish, "openai_legacy", {each.name: _model(each) for each in listed(wish)})
    return (FileEdits(_old_home(machine) / "config.toml", "toml", edits),)


AGENT: Final = Agent(
    name="kimi-code",
    title="Kimi Code",
    programs=("kimi",),
    dialect="chat",
    source="measured with Kimi Code 2.1.0",
    aliases=("kimi",),
    variables=_variables,
    connect=_connect,
    traces=lambda machine: (_home(machine),),
)

OLD_AGENT: Final = Agent(
    name="kimi-cli",
    title="kimi-cli",
    programs=("kimi-cli",),
    dialect="chat",
    source="moonshotai.github.io/kimi-cli, pages on config files and environment variables, "
    "read in November 2026; not run",
    variables=_old_variables,
    connect=_old_connect,
    traces=lambda machine: (_old_home(machine),),
    note="its variables count only while its own provider is of the type kimi, as after /login",
)
