"""The tools of a Gemini agent's request, and which of them the model may call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from holdgate.core.dialects.translation.gemini.looking import (
    Members,
    Raw,
    items,
    members,
    text,
    text_at,
    wrong,
)
from holdgate.core.dialects.translation.gemini.schema_reader import read_schema
from holdgate.core.values.neutral import Choice, Function, Hosted, Loss, Tool

_HOSTED: Mapping[str, str] = MappingProxyType(
    {
        "googleSearch": "web_search",
        "googleSearchRetrieval": "web_search",
        "enterpriseWebSearch": "web_search",
        "codeExecution": "code",
        "computerUse": "computer",
        "urlContext": "web_fetch",
    }
)


def read_tools(raw: Raw) -> tuple[Tool, ...]:
    """Give the tools that `tools` declares."""
    return tuple(
        tool
        for at, one in enumerate(items(raw, "tools"))
        for tool in _tools(members(one, f"tools[{at}]"), f"tools[{at}]")
    )


def _tools(found: Members, path: str) -> Iterator[Tool]:
    for name, raw in found.items():
        if name != "functionDeclarations":
            yield Hosted(_HOSTED.get(name, name), b'{"%s":%s}' % (name.encode(), bytes(raw)))
            continue
        for at, one in enumerate(items(raw, f"{path}.functionDeclarations")):
            inner = f"{path}.functionDeclarations[{at}]"
            yield _function(members(one, inner), inner)


def _function(found: Members, path: str) -> Function:
    name = text_at(found, "name", path)
    if not name:
        raise wrong(f"{path}.name", "a name")
    parameters = b""
    if "parametersJsonSchema" in found:
        parameters = bytes(found["parametersJsonSchema"])
    elif "parameters" in found:
        parameters = read_schema(found["parameters"], f"{path}.parameters")
    return Function(name, text_at(found, "description", path), parameters)


def read_choice(raw: Raw) -> tuple[Choice | None, tuple[Loss, ...]]:
    """Give the choice that `toolConfig` says, and what it says beside it."""
    found = members(raw, "toolConfig")
    losses = tuple(
        Loss(f"toolConfig.{name}", "means something only to Gemini")
        for name in found
        if name != "functionCallingConfig"
    )
    if "functionCallingConfig" not in found:
        return None, losses
    path = "toolConfig.functionCallingConfig"
    config = members(found["functionCallingConfig"], path)
    names = items(config["allowedFunctionNames"], path) if "allowedFunctionNames" in config else []
    allowed = tuple(text(name, f"{path}.allowedFunctionNames") for name in names)
    return _choice(text_at(config, "mode", path).upper(), allowed), losses


def _choice(mode: str, allowed: tuple[str, ...]) -> Choice | None:
    match mode:
        case "ANY":
            return Choice("one" if len(allowed) == 1 else "required", allowed)
        case "NONE":
            return Choice("none")
        case "VALIDATED":
            return Choice("auto", allowed)
        case "AUTO":
            return Choice("auto")
        case _:
            return None
