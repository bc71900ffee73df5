"""Vendors' libraries: what points any program that uses one of them at the gateway."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from holdgate.core.agents.base import Agent, Machine, Wish

# It names no agent: who asks is told by the headers of each program.
KEY = "holdgate"


def _openai(wish: Wish, machine: Machine) -> Mapping[str, str]:
    base = f"{wish.url}/v1"
    # OPENAI_API_BASE: the older name, which LiteLLM and LangChain read too.
    found = {"OPENAI_BASE_URL": base, "OPENAI_API_BASE": base, "OPENAI_API_KEY": wish.key}
    return found | ({"OPENAI_MODEL": wish.model} if wish.model else {})


def _anthropic(wish: Wish, machine: Machine) -> Mapping[str, str]:
    found = {
        "ANTHROPIC_BASE_URL": wish.url,
        "ANTHROPIC_API_KEY": wish.key,
        "ANTHROPIC_AUTH_TOKEN": "",  # the library would send it, too
    }
    return found | ({"ANTHROPIC_MODEL": wish.model} if wish.model else {})


def _gemini(wish: Wish, machine: Machine) -> Mapping[str, str]:
    found = {
        "GOOGLE_GEMINI_BASE_URL": wish.url,
        "GEMINI_API_KEY": wish.key,
        "GOOGLE_API_KEY": "",  # the library takes it first
        "GOOGLE_GENAI_USE_VERTEXAI": "",
    }
    return found | ({"GEMINI_MODEL": wish.model} if wish.model else {})


SDKS: Mapping[str, Agent] = MappingProxyType(
    {
        each.name: each
        for each in (
            Agent(
                "openai", "programs with OpenAI's libraries", (), "chat",
                "the libraries' own documentation of their variables",
                needs_model=False, variables=_openai,
            ),
            Agent(
                "anthropic", "programs with Anthropic's libraries", (), "messages",
                "the libraries' own documentation of their variables",
                needs_model=False, variables=_anthropic,
            ),
            Agent(
                "gemini", "programs with Google's Gen AI libraries", (), "gemini",
                "the libraries' own documentation of their variables",
                needs_model=False, variables=_gemini,
            ),
        )
    }
)  # fmt: skip
