"""Claude Code, by Anthropic."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Wish

_PATIENCE: Final = "3600000"  # milliseconds
_NAME: Final = "claude-code"
_KEY_VARIABLE: Final = "HOLDGATE_API_KEY"

# "claude --model opus" and "/model opus" ask for these.
_NAMED: Final = {
    "opus": ("ANTHROPIC_DEFAULT_OPUS_MODEL",),
    "sonnet": ("ANTHROPIC_DEFAULT_SONNET_MODEL",),
    # The second is the older name of the same. It would go before the first.
    "haiku": ("ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_SMALL_FAST_MODEL"),
    "fable": ("ANTHROPIC_DEFAULT_FABLE_MODEL",),
}

# Another key, or another vendor's cloud: each would go before ours.
_RIVALS: Final = (
    "ANTHROPIC_API_KEY",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_MANTLE",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
)


def _home(machine: Machine) -> Path:
    return machine.folder("CLAUDE_CONFIG_DIR", ".claude")


def _models(wish: Wish) -> Mapping[str, str]:
    """Give a model to every name that Claude Code may ask for, if there is a main one."""
    told = {"ANTHROPIC_MODEL": wish.model}
    for tier, variables in _NAMED.items():
        told |= dict.fromkeys(variables, wish.models.get(tier) or wish.model)
    # This one is for all subagents, whatever tier they ask for. A main model that stands alone is
    # meant for them as well; beside tiers it would take the tiers' place.
    alone = not any(wish.models.get(tier) for tier in _NAMED)
    told["CLAUDE_CODE_SUBAGENT_MODEL"] = wish.models.get("subagent") or wish.model * alone
    return {variable: model for variable, model in told.items() if model}


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    secret = {} if wish.key_is_public(_NAME) else {_KEY_VARIABLE: wish.key}
    return _told(wish) | secret


def _arguments(wish: Wish, machine: Machine) -> tuple[str, ...]:
    # The `env` of a person's settings.json comes before the environment, this before both. A real
    # key is not for a list of processes.
    told = _told(wish)
    settings: dict[str, object] = {"env": told}
    if not wish.key_is_public(_NAME):
        del told["ANTHROPIC_AUTH_TOKEN"]
        # cmd.exe, which starts programs of npm, has no such program and reads % by itself.
        if machine.system != "win32":
            told["ANTHROPIC_AUTH_TOKEN"] = ""
            settings["apiKeyHelper"] = f"printenv {_KEY_VARIABLE}"
    return ("--settings", json.dumps(settings, ensure_ascii=False, separators=(",", ":")))


def _told(wish: Wish) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": wish.url,
        "ANTHROPIC_AUTH_TOKEN": wish.key,
        **dict.fromkeys(_RIVALS, ""),
        **_models(wish),
        "CLAUDE_STREAM_IDLE_TIMEOUT_MS": _PATIENCE,
        "API_TIMEOUT_MS": _PATIENCE,
        # Without it no answer may take longer than 300 s to begin, whatever the other two say.
        "API_FORCE_IDLE_TIMEOUT": "0",
    }


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    # Claude Code puts these over its environment, where "" is as good as unset.
    edits = tuple(Edit(("env", name), value) for name, value in _told(wish).items())
    return (FileEdits(_home(machine) / "settings.json", "json", edits),)


AGENT: Final = Agent(
    name=_NAME,
    title="Claude Code",
    programs=("claude",),
    dialect="messages",
    source="measured with 2.1.197",
    aliases=("claude",),
    tiers=("opus", "sonnet", "haiku", "fable", "subagent"),
    needs_model=False,
    variables=_variables,
    arguments=_arguments,
    connect=_connect,
    traces=lambda machine: (_home(machine),),
)
