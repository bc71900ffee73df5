"""The help of every command: it has an example, and fits a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from holdgate.cli.main import build

TREE = build(gui=True)
# Beside the main ones, `models` is a command and a group.
_GROUPS = {(), ("provider",), ("route",), ("keys",), ("config",), ("autostart",)}


def paths(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from paths(found, (*path, name))


@pytest.mark.parametrize("path", list(paths(TREE)), ids=" ".join)
def test_help(path: tuple[str, ...]) -> None:
    done = CliRunner().invoke(TREE, [*path, "--help"], terminal_width=80, max_content_width=80)
    assert done.exit_code == 0
    assert [line for line in done.output.splitlines() if len(line) > 80] == []
    assert path in _GROUPS or "Example" in done.output
    # What a command is for is said in one line, whole.
    assert path not in _GROUPS or "..." not in done.output.partition("Commands:")[2]
