"""Recognition: which agent a request is from, and which conversation its headers name.

An agent that the person named in a key (`holdgate-<agent>`) is that one. Else the program's own
product name in the User-Agent says it, else headers that one program alone sends, else the library
underneath.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from holdgate.core.values.caller import UNKNOWN_AGENT

LONGEST_NAME = 40
LONGEST_CONVERSATION = 200
TOKEN_PREFIX = "holdgate-"

# In this order (contract 3, "Who asks").
CONVERSATION_HEADERS = (
    "x-claude-code-session-id",
    "session-id",
    "session_id",
    "x-session-id",
    "x-opencode-session",
    "x-session-affinity",
)

# Product names in the User-Agent, lower case, without the version.
PRODUCTS: Mapping[str, str] = MappingProxyType(
    {
        "claude-cli": "claude-code",
        "claude-code": "claude-code",
        "claude-vscode": "claude-code",
        "codex": "codex",
        "geminicli": "gemini-cli",
        "gemini-cli": "gemini-cli",
        "opencode": "opencode",
        "kilo-code": "kilo",
        "kilocode": "kilo",
        "kilo": "kilo",
        "qwencode": "qwen-code",
        "qwen-code": "qwen-code",
        "codebuddy": "codebuddy",
        "workbuddy": "workbuddy",
        "qoder": "qoder",
        "qodercli": "qoder",
        "cline": "cline",
        "roocode": "roo-code",
        "roo-code": "roo-code",
        "continue": "continue",
        "aider": "aider",
        "litellm": "litellm",
        "pi": "pi",
        "pi-coding-agent": "pi",
        "llm": "llm",
        "crush": "crush",
        "charm-crush": "crush",
        "goose": "goose",
        "cursor": "cursor",
        "zed": "zed",
        "copilot": "copilot",
        "githubcopilotchat": "copilot",
        "github-copilot": "copilot",
        "kimicli": "kimi-cli",
        "kimi-cli": "kimi-cli",
        "mistral-vibe": "mistral-vibe",
        "openhands": "openhands",
        "nanocoder": "nanocoder",
    }
)

# Product names that carry a surface behind them: codex_exec, codex_cli_rs, GeminiCLI-tui.
FAMILIES = (
    ("codex_", "codex"),
    ("codex-", "codex"),
    ("geminicli-", "gemini-cli"),
    ("claude-cli-", "claude-code"),
    ("opencode-", "opencode"),
)

# A header's name, what its value must hold (lower case; "": anything), the agent.
HEADERS = (
    ("x-claude-code-session-id", "", "claude-code"),
    ("x-codex-turn-metadata", "", "codex"),
    ("x-opencode-session", "", "opencode"),
    ("x-initiator", "", "copilot"),
    ("x-interaction-type", "", "copilot"),
    ("x-title", "cline", "cline"),
    ("http-referer", "cline.bot", "cline"),
    ("x-title", "kilo", "kilo"),
    ("x-title", "roo code", "roo-code"),
    ("x-title", "aider", "aider"),
    ("http-referer", "aider.chat", "aider"),
)

# Libraries: the User-Agent's first word without a trailing version.
LIBRARIES: Mapping[str, str] = MappingProxyType(
    {
        "openai/python": "openai-python",
        "asyncopenai/python": "openai-python",
        "openai/js": "openai-js",
        "ls/js": "continue",  # the openai library as Continue bundles it
        "anthropic/python": "anthropic-python",
        "asyncanthropic/python": "anthropic-python",
        "anthropic/js": "anthropic-js",
        "google-genai-sdk": "google-genai",
        "ai-sdk": "ai-sdk",
        "pydantic-ai": "pydantic-ai",
        "langchain": "langchain",
        "agents/python": "openai-agents",
    }
)
_GENAI_LANGUAGES = (("gl-python", "google-genai-python"), ("gl-node", "google-genai-js"))

_NOT_IN_NAMES = re.compile(r"[^a-z0-9._-]+")
_LONGEST_AGENT_HEADER = 400


def recognise_agent(headers: Mapping[str, str], keys: Iterable[str]) -> str:
    """Give the agent's name: lower case, of `[a-z0-9._-]`, 1 to 40 characters.

    `headers`: by lower-case name. `keys`: what was sent in the key places. An agent that nothing
    tells is "unknown".
    """
    for key in keys:
        head, rest = key[: len(TOKEN_PREFIX)], key[len(TOKEN_PREFIX) :]
        if head.lower() == TOKEN_PREFIX and (name := agent_name(rest)):
            return name
    product, library = _by_user_agent(headers.get("user-agent", "")[:_LONGEST_AGENT_HEADER])
    return product or _by_headers(headers) or library or UNKNOWN_AGENT


def conversation_header(headers: Mapping[str, str]) -> str | None:
    """Give the conversation that the headers (by lower-case name) tell; None if none does."""
    for name in CONVERSATION_HEADERS:
        if value := headers.get(name, "").strip():
            return value[:LONGEST_CONVERSATION]
    return None


def agent_name(text: str) -> str:
    """Give `text` as an agent's name; "" if nothing of it can be one."""
    return _NOT_IN_NAMES.sub("-", text.lower()).strip("-")[:LONGEST_NAME]


@lru_cache(maxsize=256)  # the same few agents ask all day
def _by_user_agent(text: str) -> tuple[str | None, str | None]:
    words = text.lower().split()
    return _by_product(words), _by_library(words)


def _by_product(words: list[str]) -> str | None:
    for word in words:
        product = word.partition("/")[0].lstrip("(")
        if (agent := PRODUCTS.get(product)) is not None:
            # "pi" and "continue" are words too: a product has a version behind it.
            if "/" in word:
                return agent
        else:
            for beginning, family in FAMILIES:
                if product.startswith(beginning):
                    return family
    return None


def _by_headers(headers: Mapping[str, str]) -> str | None:
    for name, held, agent in HEADERS:
        value = headers.get(name)
        if value is not None and held in value.lower():
            return agent
    return None


def _by_library(words: list[str]) -> str | None:
    if not words:
        return None
    library = LIBRARIES.get(words[0]) or LIBRARIES.get(words[0].partition("/")[0])
    if library == "google-genai":
        for word in words:
            for beginning, agent in _GENAI_LANGUAGES:
                if word.startswith(beginning):
                    return agent
    return library
