"""Tools and the choice among them, written for a vendor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import msgspec

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.hosted_tools import chosen, search_of
from holdgate.core.dialects.translation.tool_names import ToolNames
from holdgate.core.values.neutral import (
    Choice,
    Custom,
    Function,
    Hosted,
    Loss,
    Namespace,
    Request,
    Tool,
)

_NO_PARAMETERS = b'{"type":"object","properties":{}}'
# Tools that vendors run, as this dialect calls them.
_HOSTED: Mapping[str, Json] = MappingProxyType(
    {
        "web_search": {"type": "web_search"},
        "code": {"type": "code_interpreter", "container": {"type": "auto"}},
    }
)


def written_tools(
    tools: tuple[Tool, ...], target: Target, names: ToolNames, losses: list[Loss]
) -> Iterator[Json]:
    """Give the tools; one that the vendor would have to run itself is lost where it has none."""
    for number, tool in enumerate(tools):
        match tool:
            case Hosted(kind):
                if _is_run(tool, target):
                    yield _HOSTED[kind] | _options(tool, f"tools[{number}]", losses)
                else:
                    why = f"the vendor's own tool {kind}"
                    losses.append(Loss(f"tools[{number}]", why, grave=kind == "computer"))
            case Namespace(name, inner, description):
                own = [_own(each, names.told(each.name, name)) for each in inner]
                yield {
                    "type": "namespace",
                    "name": name,
                    "description": description,
                    "tools": own,
                }
            case Function() | Custom():
                yield _own(tool, names.told(tool.name))


def _is_run(tool: Hosted, target: Target) -> bool:
    return tool.kind in target.hosted and tool.kind in _HOSTED


def _options(tool: Hosted, path: str, losses: list[Loss]) -> Json:
    """Give where a search may look; sites that it may not are not told here."""
    if tool.kind != "web_search":
        return {}
    search = search_of(tool)
    if search.blocked:
        losses.append(Loss(f"{path}.blocked_domains", "not known to responses"))
    if search.most:
        losses.append(Loss(f"{path}.max_uses", "not known to responses"))
    allowed = {"filters": {"allowed_domains": list(search.allowed)}} if search.allowed else {}
    return allowed | search.location


def _own(tool: Function | Custom, name: str) -> Json:
    described = {"description": tool.description} if tool.description else {}
    if isinstance(tool, Custom):
        written: Json = {"type": "custom", "name": name, **described}
        return written | ({"format": _format(tool.format)} if tool.format else {})
    # Without a word on it the vendor would make the schema strict, and refuse many.
    return {
        "type": "function",
        "name": name,
        **described,
        "parameters": msgspec.Raw(tool.parameters or _NO_PARAMETERS),
        "strict": bool(tool.strict),
    }


def _format(format: bytes) -> msgspec.Raw | Json:
    """Give a grammar; chat has its members one level deeper."""
    try:
        found = msgspec.json.decode(format, type=dict[str, msgspec.Raw])
        inner = msgspec.json.decode(found["grammar"], type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, KeyError):
        return msgspec.Raw(format)
    return {"type": "grammar", **inner}


def written_choice(
    request: Request, choice: Choice, target: Target, names: ToolNames, losses: list[Loss]
) -> str | Json:
    """Give which tools may or must be called."""
    tools = request.tools
    if (hosted := chosen(choice, tools)) is not None:
        if _is_run(hosted, target):
            return {"type": _HOSTED[hosted.kind]["type"]}
        losses.append(Loss("tool_choice", f"the vendor's own tool {hosted.kind}"))
        return "auto"
    custom = {tool.name for tool in tools if isinstance(tool, Custom)}
    named: list[Json] = [
        {"type": "custom" if name in custom else "function", "name": names.told(name)}
        for name in choice.allowed
    ]
    if choice.mode == "one":
        return named[0] if named else "required"
    if named and choice.mode != "none":
        return {"type": "allowed_tools", "mode": choice.mode, "tools": named}
    return choice.mode
