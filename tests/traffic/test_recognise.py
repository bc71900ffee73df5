"""Recognition: the User-Agents and headers that real agents were seen to send."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.recognise import conversation_header, recognise_agent

USER_AGENTS = (
    ("claude-cli/2.1.197 (external, sdk-cli)", "claude-code"),
    ("codex_exec/0.171.0 (Debian 12.0.0; x86_64) dumb", "codex"),
    ("codex_cli_rs/0.171.0 (Mac OS 26.1.0; arm64) iTerm.app/3.6", "codex"),
    ("codex_vscode/0.5", "codex"),
    ("codex-tui/0.171.0", "codex"),
    ("GeminiCLI-tui/0.61.0/gemini-3-pro (linux; x64; terminal)", "gemini-cli"),
    ("GeminiCLI/0.3.1 (linux; x64)", "gemini-cli"),
    ("opencode/1.18.33 ai-sdk/provider-utils/4.0.2 runtime/bun/1.3.14", "opencode"),
    ("Kilo-Code/7.7.9 ai-sdk/provider-utils/4.0.2", "kilo"),
    ("QwenCode/0.15.10 (linux; x64)", "qwen-code"),
    ("CLI/2.163.0 CodeBuddy/2.163.0", "codebuddy"),
    ("WorkBuddy/1.2", "workbuddy"),
    ("RooCode/3.51.0", "roo-code"),
    ("Cline/3.0.65", "cline"),
    ("aider/0.86.2", "aider"),
    ("litellm/1.81.10", "litellm"),
    ("pi/0.73.1", "pi"),
    ("llm/0.36", "llm"),
    ("GitHubCopilotChat/0.40", "copilot"),
    ("copilot/1.0.102 (linux)", "copilot"),
    ("OpenAI/Python 3.57.0", "openai-python"),
    ("AsyncOpenAI/Python 3.57.0", "openai-python"),
    ("OpenAI/JS 6.49.0", "openai-js"),
    ("Anthropic/Python 1.17.0", "anthropic-python"),
    ("AsyncAnthropic/Python 1.17.0", "anthropic-python"),
    ("Anthropic/JS 0.91.1", "anthropic-js"),
    ("google-genai-sdk/2.34.0 gl-python/3.11.7", "google-genai-python"),
    ("google-genai-sdk/1.52.0 gl-node/v22.1.0", "google-genai-js"),
    ("google-genai-sdk/9", "google-genai"),
    ("ls/JS 5.23.2", "continue"),
    ("ai-sdk/openai-compatible/3.0.37 ai-sdk/provider-utils/4.0 runtime/bun/1.3.13", "ai-sdk"),
    ("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/150.0", "unknown"),
    ("Mozilla/5.0 to be continued, pi day", "unknown"),
    ("node-fetch", "unknown"),
    ("python-requests/2.32", "unknown"),
    ("continue", "unknown"),
    ("/", "unknown"),
    ("", "unknown"),
)


@pytest.mark.parametrize(("sent", "agent"), USER_AGENTS)
def test_user_agents(sent: str, agent: str) -> None:
    assert recognise_agent({"user-agent": sent}, ()) == agent
    assert recognise_agent({"user-agent": sent}, ["sk-dummy", ""]) == agent


@pytest.mark.parametrize(
    ("name", "value", "agent"),
    [
        ("x-initiator", "user", "copilot"),
        ("x-interaction-type", "conversation-agent", "copilot"),
        ("x-codex-turn-metadata", "{}", "codex"),
        ("x-claude-code-session-id", "1", "claude-code"),
        ("x-title", "Cline", "cline"),
        ("http-referer", "https://cline.bot", "cline"),
        ("x-title", "Kilo Code", "kilo"),
        ("http-referer", "https://aider.chat", "aider"),
        ("x-title", "My own", "openai-js"),
    ],
)
def test_headers_tell_what_the_library_does_not(name: str, value: str, agent: str) -> None:
    assert recognise_agent({"user-agent": "OpenAI/JS 5.20.1", name: value}, ()) == agent


def test_an_agents_own_name_goes_before_a_header() -> None:
    headers = {"user-agent": "opencode/1.18.33", "x-initiator": "agent"}
    assert recognise_agent(headers, ()) == "opencode"


@pytest.mark.parametrize(
    ("key", "agent"),
    [
        ("holdgate-codex", "codex"),
        ("holdgate-my.agent_2", "my.agent_2"),
        ("Holdgate-Claude-Code", "claude-code"),
        ("holdgate-two words/é", "two-words"),
        ("holdgate-" + "x" * 60, "x" * 40),
        ("holdgate-", "claude-code"),
        ("holdgate-///", "claude-code"),
        ("xholdgate-codex", "claude-code"),
        ("sk-ant-something", "claude-code"),
    ],
)
def test_the_token_goes_before_all(key: str, agent: str) -> None:
    headers = {"user-agent": "claude-cli/2.1.197 (external, sdk-cli)"}
    assert recognise_agent(headers, [key]) == agent
    assert recognise_agent(headers, ["hgk-0-0", key]) == agent


@given(
    agent=st.text(max_size=60),
    key=st.text(max_size=60) | st.text(max_size=60).map("holdgate-".__add__),
)
def test_a_name_is_always_plain(agent: str, key: str) -> None:
    assert re.fullmatch(r"[a-z0-9._-]{1,40}", recognise_agent({"user-agent": agent}, [key]))


def test_the_conversation_headers_in_their_order() -> None:
    headers = {
        "x-session-affinity": "6",
        "x-opencode-session": "5",
        "x-session-id": "4",
        "session_id": "3",
        "session-id": "2",
        "x-claude-code-session-id": "1",
    }
    found = []
    while headers:
        found.append(conversation_header(headers))
        headers.popitem()
    assert found == ["1", "2", "3", "4", "5", "6"]


def test_an_empty_conversation_header_is_passed_over() -> None:
    assert conversation_header({"session-id": "  ", "x-session-id": " a "}) == "a"
    assert conversation_header({"session-id": ""}) is None
    assert conversation_header({}) is None
    assert conversation_header({"session-id": "x" * 9000}) == "x" * 200
