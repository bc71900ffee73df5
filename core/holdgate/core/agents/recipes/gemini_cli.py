"""Gemini CLI, by Google."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Wish

# What Gemini CLI asks of a smaller model of its own beside the talk, whatever model was chosen.
_HELPERS: Final = (
    "classifier",
    "prompt-completion",
    "fast-ack-helper",
    "edit-corrector",
    "summarizer-default",
    "summarizer-shell",
    "loop-detection",
    "loop-detection-double-check",
    "llm-edit-fixer",
    "next-speaker-checker",
    "context-snapshotter",
    "chat-compression-default",
    "agent-history-provider-summarizer",
)


def _home(machine: Machine) -> Path:
    # The variable stands for the home, not for the folder in it.
    return machine.folder("GEMINI_CLI_HOME") / ".gemini"


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    del machine
    return {
        "GOOGLE_GEMINI_BASE_URL": wish.url,
        "GEMINI_API_KEY": wish.key,
        **({"GEMINI_MODEL": wish.model} if wish.model else {}),
        # Each of these would go before ours.
        "GOOGLE_GENAI_USE_VERTEXAI": "",
        "GOOGLE_GENAI_USE_GCA": "",
        "GOOGLE_API_KEY": "",
    }


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    variables = (
        Edit(("GOOGLE_GEMINI_BASE_URL",), wish.url),
        Edit(("GEMINI_API_KEY",), wish.key),
    )
    settings = (
        Edit(("security", "auth", "selectedType"), "gemini-api-key", older=("selectedAuthType",)),
        *_models(wish),
    )
    home = _home(machine)
    return (
        FileEdits(home / ".env", "dotenv", variables),
        FileEdits(home / "settings.json", "json", settings),
    )


def _models(wish: Wish) -> tuple[Edit, ...]:
    if not wish.model:
        return ()
    helper = wish.models.get("flash") or wish.model
    return (
        Edit(("model", "name"), wish.model),
        *(
            Edit(("modelConfigs", "customAliases", name, "modelConfig", "model"), helper)
            for name in _HELPERS
        ),
    )


AGENT: Final = Agent(
    name="gemini-cli",
    title="Gemini CLI",
    programs=("gemini",),
    dialect="gemini",
    source="measured with 0.61.0",
    aliases=("gemini",),
    tiers=("flash",),
    needs_model=False,
    variables=_variables,
    connect=_connect,
    traces=lambda machine: (_home(machine),),
    no_run="Gemini CLI takes the way it signs in from its settings.json only: "
    "`gateway connect gemini-cli`, then `gemini`",
    note="it reads the address from its .env only in folders that it was told to trust, and a "
    "project's own .env takes the place of that file",
)
