"""Tools that Anthropic defines and the agent runs: told to others as the functions that they are.

Their schemas are Anthropic's published ones ("Bash tool", "Text editor tool", "Memory tool").
"""

from __future__ import annotations

from holdgate.core.dialects.reading import Json, dump
from holdgate.core.values.neutral import CacheMark, Function

_TEXT: Json = {"type": "string"}
_LINES: Json = {"type": "array", "items": {"type": "integer"}}


def _schema(required: str, **properties: Json) -> bytes:
    return dump({"type": "object", "properties": properties, "required": required.split()})


def _command(*names: str) -> Json:
    return {"type": "string", "enum": list(names)}


_EDITOR = _schema(
    "command path",
    command=_command("view", "create", "str_replace", "insert"),
    path=_TEXT,
    view_range=_LINES,
    file_text=_TEXT,
    old_str=_TEXT,
    new_str=_TEXT,
    insert_line={"type": "integer"},
    insert_text=_TEXT,
)
_MEMORY = _schema(
    "command",
    command=_command("view", "create", "str_replace", "insert", "delete", "rename"),
    path=_TEXT,
    view_range=_LINES,
    file_text=_TEXT,
    old_str=_TEXT,
    new_str=_TEXT,
    insert_line={"type": "integer"},
    insert_text=_TEXT,
    old_path=_TEXT,
    new_path=_TEXT,
)
_BASH = _schema("", command=_TEXT, restart={"type": "boolean"})
# By the beginning of the type, which ends in a date.
_TOOLS = (
    ("bash_", "Runs a command in a shell that stays open; restart starts a new one.", _BASH),
    ("text_editor_", "Views and edits text files.", _EDITOR),
    ("memory_", "Reads and writes notes in files below /memories.", _MEMORY),
)


def function_of(type: str, name: str, cache: CacheMark | None) -> Function | None:
    """Give the function that a tool of this type is, or None if it is none."""
    for beginning, description, schema in _TOOLS:
        if type.startswith(beginning):
            return Function(name or type, description, schema, cache=cache)
    return None
