"""The house rules that no linter knows: folders, names and sizes."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdgate

HOUSE = Path(__file__).parents[1]
ROOTS = ("cli", "core", "tray", "icons")
SOURCES = sorted(file for root in ROOTS for file in (HOUSE / root).rglob("*.py"))
SERVER = HOUSE / "core/holdgate/core/server"

LONGEST_FILE = 350
LONGEST_FUNCTION = 40
NO_NAMES = {"util", "helper", "common", "misc", "manager"}


def test_the_sources_are_found() -> None:
    assert len(SOURCES) > 50


def test_holdgate_is_a_namespace() -> None:
    assert getattr(holdgate, "__file__", None) is None
    for root in ROOTS:
        assert not (HOUSE / root / "holdgate/__init__.py").exists(), root
        assert not (HOUSE / root / "__init__.py").exists(), root


def test_packaging_is_no_package() -> None:
    # It would hide the library of that name.
    assert not (HOUSE / "packaging/__init__.py").exists()


@pytest.mark.parametrize("root", ROOTS)
def test_types_are_told(root: str) -> None:
    assert (HOUSE / root / "holdgate" / root / "py.typed").is_file()


def test_no_file_is_too_long() -> None:
    lengths = {shown(file): len(text(file).splitlines()) for file in SOURCES}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE} == {}


def test_no_function_is_too_long() -> None:
    lengths = {
        f"{shown(file)}:{node.lineno} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for file in SOURCES
        for node in ast.walk(ast.parse(text(file)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FUNCTION} == {}


def test_no_name_says_nothing() -> None:
    named = [file for file in SOURCES if NO_NAMES & names(file)]
    assert [shown(file) for file in named] == []


def test_the_http_server_lives_in_one_room() -> None:
    users = {
        file
        for file in SOURCES
        for module in imports(ast.parse(text(file)))
        if module == "aiohttp.web" or module.startswith(("aiohttp.web.", "aiohttp.web_"))
    }
    assert users, "nobody imports aiohttp.web: does this test still look for the right thing?"
    assert [shown(file) for file in users if not file.is_relative_to(SERVER)] == []


def test_there_are_two_programs() -> None:
    project = tomllib.loads(text(HOUSE / "pyproject.toml"))["project"]
    assert set(project["scripts"]) == {"gateway", "gateway-nogui"}
    assert "gui-scripts" not in project


def text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def shown(file: Path) -> str:
    return file.relative_to(HOUSE).as_posix()


def names(file: Path) -> set[str]:
    """Give what a module and its folders are called, also without a plural's s."""
    parts = [file.stem, *file.relative_to(HOUSE).parts[:-1]]
    return {name for part in parts for word in part.split("_") for name in (word, word[:-1])}


def imports(tree: ast.AST) -> Iterator[str]:
    """Give all that is imported, and `aiohttp.web` where it is only reached through aiohttp."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and shows_aiohttp(node):
            yield f"aiohttp.{node.attr}"


def shows_aiohttp(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "aiohttp"
