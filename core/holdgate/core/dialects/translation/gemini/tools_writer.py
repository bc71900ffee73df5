"""The tools for Gemini, and which of them the model may call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import assert_never

from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.custom_tools import as_function
from holdgate.core.dialects.translation.gemini.schema_writer import write_schema
from holdgate.core.dialects.translation.hosted_tools import Search, chosen, search_of
from holdgate.core.dialects.translation.tool_names import ToolNames
from holdgate.core.values.neutral import (
    Choice,
    Custom,
    Function,
    Hosted,
    Loss,
    Namespace,
    Tool,
)

_Json = dict[str, object]
# Google: a letter or an underscore first, then also digits, dots and dashes; 64 in all. Newer
# references allow colons and 128, older models and relays do not.
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_.\-]|\A[^a-zA-Z_]")
_LONGEST = 64
_HOSTED: Mapping[str, str] = MappingProxyType(
    {
        "web_search": "googleSearch",
        "code": "codeExecution",
        "web_fetch": "urlContext",
    }
)
_MODES: Mapping[str, str] = MappingProxyType(
    {"auto": "AUTO", "none": "NONE", "required": "ANY", "one": "ANY"}
)


def names_of(tools: tuple[Tool, ...]) -> ToolNames:
    """Give the names that Gemini is told."""
    return ToolNames(tools, forbidden=_FORBIDDEN, longest=_LONGEST, custom=False, namespaces=False)


class ToolsWriter:
    """Writes a request's tools; what cannot be said is in `losses`."""

    def __init__(self, target: Target, names: ToolNames) -> None:
        """Take whom the tools are for, and what they are called there."""
        self.losses: list[Loss] = []
        self._target = target
        self._names = names

    def tools(self, tools: tuple[Tool, ...]) -> list[_Json]:
        """Give the value of `tools`."""
        # Google refuses a name that comes twice.
        declared = list(
            {
                str(told["name"]): told
                for at, tool in enumerate(tools)
                for told in self._declared(tool, f"tools[{at}]")
            }.values()
        )
        hosted = [
            told
            for at, tool in enumerate(tools)
            if isinstance(tool, Hosted)
            for told in self._hosted(tool, f"tools[{at}]", alone=not declared)
        ]
        unique = [told for at, told in enumerate(hosted) if told not in hosted[:at]]
        return [{"functionDeclarations": declared}, *unique] if declared else unique

    def _declared(self, tool: Tool, path: str, namespace: str = "") -> list[_Json]:
        match tool:
            case Function():
                return [self._function(tool, namespace, path)]
            case Custom():
                if tool.format:
                    self.losses.append(Loss(f"{path}.format", "a grammar that is told, no more"))
                return [self._function(as_function(tool), namespace, path)]
            case Namespace():
                return [
                    told
                    for at, one in enumerate(tool.tools)
                    for told in self._declared(one, f"{path}.tools[{at}]", tool.name)
                ]
            case Hosted():
                return []
            case _:
                assert_never(tool)

    def _function(self, tool: Function, namespace: str, path: str) -> _Json:
        name = self._names.told(tool.name, namespace)
        if tool.strict:
            self.losses.append(Loss(path, "strict arguments: not known to gemini"))
        # Google insists on a description.
        told: _Json = {"name": name, "description": tool.description or tool.name}
        schema, losses = write_schema(tool.parameters, f"{path}.parameters")
        self.losses += losses
        if schema is not None:
            told["parameters"] = schema
        return told

    def _hosted(self, tool: Hosted, path: str, *, alone: bool) -> list[_Json]:
        name = _HOSTED.get(tool.kind)
        if name is None or tool.kind not in self._target.hosted:
            why = f"{tool.kind}: a tool that the agent's own vendor runs"
            self.losses.append(Loss(path, why, grave=tool.kind == "computer"))
            return []
        if not alone:
            self.losses.append(Loss(path, f"{tool.kind}: Gemini takes it without functions only"))
            return []
        if tool.kind == "web_search":
            self._lose_options(search_of(tool), path)
        return [{name: {}}]

    def _lose_options(self, search: Search, path: str) -> None:
        """Tell that Google searches where and as often as it will."""
        for name, said in (
            ("allowed_domains", search.allowed),
            ("blocked_domains", search.blocked),
            ("user_location", search.place),
            ("max_uses", search.most),
        ):
            if said:
                self.losses.append(Loss(f"{path}.{name}", "not known to gemini"))

    def choice(self, choice: Choice, tools: tuple[Tool, ...]) -> _Json:
        """Give the value of `toolConfig`."""
        if (hosted := chosen(choice, tools)) is not None:
            why = f"{hosted.kind}: Gemini takes it without functions only"
            self.losses.append(Loss("toolConfig", why))
            choice = Choice("auto")
        config: _Json = {"mode": _MODES[choice.mode]}
        if choice.allowed and choice.mode != "none":
            if choice.mode == "auto":
                # The one mode in which the model may as well answer with text.
                config["mode"] = "VALIDATED"
            config["allowedFunctionNames"] = [self._names.told(name) for name in choice.allowed]
        return {"functionCallingConfig": config}
