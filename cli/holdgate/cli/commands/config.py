"""The group `gateway config`: where the configuration is, whether it is right, and what it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdgate.cli.options import (
    WRONG_CONFIGURATION,
    config_option,
    echo_json,
    json_option,
    places_of,
)

if TYPE_CHECKING:
    from holdgate.core.config.problems import ConfigError
    from holdgate.core.values.settings import Settings


@click.group("config")
def command() -> None:
    """See, check and edit the configuration."""


@command.command("path", epilog="Example: gateway config path --json")
@config_option
@json_option
def path_command(config_file: Path | None, as_json: bool) -> None:
    """Say where the configuration file is.

    JSON: {"config", "exists", "state", "cache", "log"}; all but exists are absolute paths.
    """
    places = places_of(config_file)
    if not as_json:
        click.echo(str(places.config_file))
        return
    echo_json(
        {
            "config": str(places.config_file),
            "exists": places.config_file.exists(),
            "state": str(places.state),
            "cache": str(places.cache),
            "log": str(places.log),
        }
    )


@command.command(
    "check",
    epilog="Example: gateway config check",
    short_help="Say what is wrong, or how each name resolves.",
)
@config_option
@json_option
def check_command(config_file: Path | None, as_json: bool) -> None:
    """Say what is wrong with the configuration, and how each name resolves.

    JSON: {"file", "fine", "providers", "routes", "names": [{"name", "resolves"}], "problems":
    [{"file", "line", "key", "found", "allowed", "nearest", "says", "text"}]}; providers and routes
    are counts.
    """
    from holdgate.core.config.problems import ConfigError

    path = places_of(config_file).config_file
    try:
        settings = _load(path, with_files=True)
    except ConfigError as error:
        if as_json:
            echo_json(_checked(path, error=error))
        _refuse(error)
    else:
        if as_json:
            echo_json(_checked(path, settings))
            return
        _echo_fine(path, settings)


@command.command("show", epilog="Example: gateway config show")
@config_option
@json_option
def show_command(config_file: Path | None, as_json: bool) -> None:
    """Print every setting in force; keys are never shown.

    JSON: an object for each table of the configuration file, with the defaults filled in.
    """
    from holdgate.core.config.describe import show
    from holdgate.core.config.problems import ConfigError

    try:
        shown = show(_load(places_of(config_file).config_file))
    except ConfigError as error:
        _refuse(error)
    else:
        if as_json:
            echo_json(shown)
            return
        for line in _flat(shown):
            click.echo(line)


@command.command("edit", epilog="Example: gateway config edit")
@config_option
def edit_command(config_file: Path | None) -> None:
    """Open the configuration in $VISUAL or $EDITOR, then check it."""
    from holdgate.core.config.problems import ConfigError

    path = places_of(config_file).config_file
    _create(path)
    click.edit(filename=str(path))
    try:
        settings = _load(path, with_files=True)
    except ConfigError as error:
        _refuse(error)
    else:
        click.echo(_fine(path, settings))


def _load(path: Path, *, with_files: bool = False) -> Settings:
    from holdgate.core.config.load import load_file

    return load_file(path, with_files=with_files)


def _create(path: Path) -> None:
    """Begin a missing file with a short commented template."""
    from holdgate.core.config.example import STARTER
    from holdgate.core.editing.files import write_whole

    if path.exists():
        return
    try:
        write_whole(path, STARTER)
    except OSError as error:
        raise click.ClickException(
            f"{path}: cannot be written: {error.strerror or error}; name another with --config"
        ) from error


def _refuse(error: ConfigError) -> None:
    """Print all problems to stderr and end with status 2."""
    for problem in error.problems:
        click.echo(str(problem), err=True)
    raise SystemExit(WRONG_CONFIGURATION)


def _checked(
    path: Path, settings: Settings | None = None, error: ConfigError | None = None
) -> dict[str, Any]:
    return {
        "file": str(path),
        "fine": error is None,
        "providers": len(settings.providers) if settings else 0,
        "routes": len(settings.routes) if settings else 0,
        "names": [{"name": name, "resolves": text} for name, text in _names(settings)],
        "problems": [problem.as_dict() for problem in error.problems] if error else [],
    }


def _names(settings: Settings | None) -> list[tuple[str, str]]:
    from holdgate.core.traffic.routing import describe_names

    return describe_names(settings) if settings else []


def _echo_fine(path: Path, settings: Settings) -> None:
    click.echo(_fine(path, settings))
    names = _names(settings)
    width = max((len(name) for name, _text in names), default=0)
    for name, text in names:
        click.echo(f"  {name:{width}}  {text}")


def _fine(path: Path, settings: Settings) -> str:
    missing = "" if path.exists() else " (there is no such file yet)"
    providers = _counted(len(settings.providers), "provider")
    routes = _counted(len(settings.routes), "route")
    return f"{path}: fine: {providers}, {routes}{missing}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _flat(data: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Give a line `table.key = value` for each value, tables being followed."""
    import json

    for name, value in data.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{name}.")
        elif value != {} and value is not None:
            yield f"{prefix}{name} = {json.dumps(value, ensure_ascii=False)}"
