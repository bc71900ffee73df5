"""All editors, by the name of their format."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from holdgate.core.editing.base import Editor
from holdgate.core.editing.dotenv_editor import DotenvEditor
from holdgate.core.editing.json_editor import JsonEditor
from holdgate.core.editing.toml_editor import TomlEditor
from holdgate.core.editing.yaml_editor import YamlEditor

EDITORS: Final[Mapping[str, Editor]] = MappingProxyType(
    {
        "json": JsonEditor(),
        "toml": TomlEditor(),
        "yaml": YamlEditor(),
        "dotenv": DotenvEditor(),
    }
)
