"""Configs as people have them: comments, odd spacing, unknown keys, and values of their own."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from holdgate.core.agents.base import Edit, FileEdits
from holdgate.core.editing.base import CannotChange
from holdgate.core.editing.table import EDITORS

_JSON = (
    '"theme" :  "dark"', '// mine\n  "a": [1,\n2 ]', '"\u00e4": {"b": null, /* why */ "c": 1.50}',
    '"mcpServers": {\n\t"x": {"command": "y", "args": ["-z"]}\n}', '"e":{}',
    '"long": "\\u0041//no"',
)  # fmt: skip
_TOML = (
    "theme   = 'dark' # why", "# mine\n\nn = 1_000", 'list = [ 1,\n  2, # two\n]',
    'text = """\na\n"""', "t.u = 1e3",
)  # fmt: skip
_TOML_TABLES = (
    "[mcp_servers.x]\ncommand = \"y\"\n", '  [projects."/a b"]\n  trust = "yes" # sure\n',
    "[[hooks]]\na = 1\n\n[[hooks]]\na = 2\n", "[e]\n",
)  # fmt: skip
_YAML = (
    "theme:   dark # why", "# mine\n\nlist:\n  - 1\n  - two", "list2:\n- a: 1\n  b: 'x'",
    "text: |\n  a\n   b", 'deep: {a: 1, "b" : [ 2 ]}', "mcpServers:\n    x:\n        command: y",
)  # fmt: skip


def _json(parts: Sequence[str]) -> str:
    return "{\n  " + ",\n  ".join(parts) + "\n}\n" if parts else "{ }"


def _toml(parts: Sequence[str]) -> str:
    return "\n".join([*(p for p in parts if p in _TOML), *(p for p in parts if p not in _TOML)])


def _yaml(parts: Sequence[str]) -> str:
    return "\n".join(parts) + "\n"


_DOTENV = ("A=1", "# mine", "export B = 'x y' # why", 'C="two\nlines"', "not a line")

_SHAPES = {
    "json": (_JSON, _json),
    "toml": (_TOML + _TOML_TABLES, _toml),
    "yaml": (_YAML, _yaml),
    "dotenv": (_DOTENV, _yaml),
}


@st.composite
def texts(draw: st.DrawFn, wanted: FileEdits, before: Sequence[Edit]) -> str | None:
    """Give what may stand in a file before us, None for no file.

    `before` are values that may stand there already, where ours will.
    """
    if draw(st.integers(0, 7)) == 0:
        return draw(st.sampled_from([None, "", "\n"]))
    blocks, shape = _SHAPES[wanted.format]
    text = shape(draw(st.lists(st.sampled_from(blocks), unique=True, max_size=4)))
    for edit in before:
        if draw(st.booleans()):
            try:
                text = EDITORS[wanted.format].with_value(text, edit.path, edit.value)
            except CannotChange:
                continue
    if draw(st.integers(0, 3)) == 0:
        text = text.replace("\n", "\r\n")
    if draw(st.integers(0, 3)) == 0:
        text = text.rstrip("\r\n")
    marked = wanted.format in ("json", "toml") and draw(st.integers(0, 5)) == 0
    return "\ufeff" + text if marked else text
