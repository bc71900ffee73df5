"""Tools that the dialect itself defines but the agent runs: functions to everybody else.

Their calls are items of their own kinds, with arguments as an object and without deltas.
Source: OpenAI API reference, Responses, tools; Codex sends `tool_search` and `local_shell`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from holdgate.core.dialects.raw_events import Members, is_empty, items, members, one_line, text
from holdgate.core.dialects.translation.json_texts import dumps, escaped
from holdgate.core.values.neutral import Function, Request


class OwnTool(msgspec.Struct, frozen=True):
    """Such a tool: the schema and words for a model that does not know it, and its calls' form.

    `item`: the type of its calls; `member`: where they hold their arguments; `more`: the JSON of
    members that a call has beside; `within`: of members that its arguments have beside.
    """

    description: str
    parameters: bytes
    item: bytes
    member: bytes
    more: bytes = b""
    within: bytes = b""

    def call(self, id: bytes, status: str, call_id: str, arguments: str) -> bytes:
        """Give a call as an item; arguments that are no object are none."""
        raw = arguments.strip().encode("utf-8", "replace")
        found = members(raw)
        given = b"{}" if found is None else one_line(dumps(msgspec.Raw(raw)))
        if self.within and found is not None and "type" not in found:
            given = b"{" + self.within + (b"," if found else b"") + given[1:].lstrip()
        return b'{"type":"%b","id":%b,"call_id":%b,"status":"%b"%b,"%b":%b}' % (
            self.item,
            id,
            escaped(call_id),
            status.encode(),
            self.more,
            self.member,
            given,
        )


_TOOLS: Mapping[str, OwnTool] = MappingProxyType(
    {
        "tool_search": OwnTool(
            "Searches for more tools. Those that are found can be called afterwards.",
            b'{"type":"object","properties":{"query":{"type":"string"},'
            b'"limit":{"type":"integer"}},"required":["query"]}',
            b"tool_search_call",
            b"arguments",
            more=b',"execution":"client"',
        ),
        "local_shell": OwnTool(
            "Runs a command on the user's machine.",
            b'{"type":"object","properties":{"command":{"type":"array","items":{"type":"string"}},'
            b'"working_directory":{"type":"string"},"timeout_ms":{"type":"integer"}},'
            b'"required":["command"]}',
            b"local_shell_call",
            b"action",
            within=b'"type":"exec","env":{}',
        ),
        "shell": OwnTool(
            "Runs shell commands on the user's machine.",
            b'{"type":"object","properties":{"commands":{"type":"array","items":{"type":"string"}},'
            b'"timeout_ms":{"type":"integer"},"max_output_length":{"type":"integer"}},'
            b'"required":["commands"]}',
            b"shell_call",
            b"action",
        ),
        "apply_patch": OwnTool(
            "Creates, updates or deletes a file; `diff` is in the V4A format of patches.",
            b'{"type":"object","properties":{"type":{"enum":["create_file","update_file",'
            b'"delete_file"]},"path":{"type":"string"},"diff":{"type":"string"}},'
            b'"required":["type","path"]}',
            b"apply_patch_call",
            b"operation",
        ),
    }
)


def as_function(kind: str, tool: Members) -> Function | None:
    """Give the function that stands for such a tool; None if the vendor would run it."""
    own = _TOOLS.get(kind)
    if own is None or not _is_the_agents(kind, tool):
        return None
    given = tool.get("parameters")
    parameters = own.parameters if members(given) is None else bytes(given or b"")
    return Function(kind, text(tool.get("description")) or own.description, parameters)


def own_tools(request: Request) -> dict[str, OwnTool]:
    """Give the tools of an agent whose calls are items of their own kinds, by name."""
    raw = request.echo.get("tools", b"")
    if not any(name.encode() in raw for name in _TOOLS):
        return {}
    tools = items(raw) or []
    named = {(text(tool.get("type")) or "", text(tool.get("name"))) for tool in tools}
    kinds = {text(tool.get("type")): tool for tool in tools}
    return {
        kind: own
        for kind, own in _TOOLS.items()
        if kind in kinds
        and _is_the_agents(kind, kinds[kind])
        and not {("function", kind), ("custom", kind)} & named
    }


def _is_the_agents(kind: str, tool: Members) -> bool:
    if kind == "tool_search":
        return text(tool.get("execution")) == "client"
    environment = members(tool.get("environment")) or {}
    return is_empty(environment.get("type")) or text(environment.get("type")) == "local"
