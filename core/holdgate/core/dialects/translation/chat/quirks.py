"""What a chat vendor does otherwise, read from the names that the catalogue has for it."""

from __future__ import annotations

import re
from math import inf

import msgspec

from holdgate.core.dialects.translation.base import Target
from holdgate.core.values.neutral import Effort

# The models that take no sampling and another name of the limit (platform.openai.com, reasoning).
_REASONING = re.compile(r"(?:.*/)?(?:o[1-9]|gpt-(?:[5-9]|\d\d)(?!.*chat)|codex)")


class Quirks(msgspec.Struct, frozen=True):
    """A vendor's ways. See catalog.quirks for what each of them is."""

    openai: bool = False
    reasons: bool = False
    max_completion_tokens: bool = False
    needs_max_tokens: int = 0
    no_stream_options: bool = False
    no_parallel_tool_calls: bool = False
    no_tool_choice_required: bool = False
    no_tool_choice_thinking: bool = False
    fixed_sampling: str = ""
    thinking: str = "effort"
    max_temperature: float = inf
    max_stops: int = 4
    top_k: bool = False
    cache_key: bool = False
    late_system: bool = False
    strict_alternation: bool = False
    cache_marks: bool = False
    reasoning_back: bool = False
    json_object_only: bool = False
    schema: str = ""

    def fixes_sampling(self, model: str) -> bool:
        """Tell whether a model takes no temperature and its like."""
        return self.reasons or bool(self.fixed_sampling and model.startswith(self.fixed_sampling))

    def can_force(self, effort: Effort | None) -> bool:
        """Tell whether a model that is to think so much can be made to call a tool."""
        if self.no_tool_choice_required:
            return False
        return not self.no_tool_choice_thinking or (effort is not None and effort.level == "none")

    @property
    def limit_name(self) -> str:
        """What the longest reply is called."""
        new = self.max_completion_tokens or (self.openai and self.reasons)
        return "max_completion_tokens" if new else "max_tokens"


def quirks_of(target: Target) -> Quirks:
    """Give the quirks of a target; names of other dialects mean nothing here."""
    found: dict[str, object] = {}
    for quirk in target.quirks:
        name, equals, value = quirk.partition("=")
        if name in Quirks.__struct_fields__:
            found[name] = value if equals else True
    if "claude" not in target.model:
        found.pop("cache_marks", None)
    openai = bool(found.get("openai"))
    found["reasons"] = openai and _REASONING.match(target.model) is not None
    found["late_system"] = openai or bool(found.get("late_system"))
    if openai:
        found.setdefault("thinking", "openai")
    found["cache_key"] = openai or bool(found.get("cache_key"))
    try:
        return msgspec.convert(found, Quirks, strict=False)
    except msgspec.ValidationError:
        return Quirks()  # the catalogue's loader lets none such through
