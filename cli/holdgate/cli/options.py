"""Options that several commands have."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

from holdgate.cli.lines import folded, printable

if TYPE_CHECKING:
    from holdgate.core.config.places import Places
    from holdgate.core.config.problems import ConfigError
    from holdgate.core.values.settings import Settings

FAILED = 1
WRONG_CONFIGURATION = 2

Command = Callable[..., None]


def config_option(command: Command) -> Command:
    """Add `--config FILE`, passed as `config_file`: a Path or None."""
    return click.option(
        "--config",
        "config_file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="The configuration file, instead of the usual one.",
    )(command)


def json_option(command: Command) -> Command:
    """Add `--json`, passed as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def places_of(config_file: Path | None) -> Places:
    """Give where the files are, by the option and the environment."""
    from holdgate.core.config.places import find_places

    return find_places(os.environ, config_file)


def settings_of(places: Places) -> Settings:
    """Give the settings; a wrong configuration ends the program with all its problems."""
    from holdgate.core.config.load import load_file
    from holdgate.core.config.problems import ConfigError

    try:
        return load_file(places.config_file)
    except ConfigError as error:
        refuse(error)


def refuse(error: ConfigError) -> NoReturn:
    """End the program with all problems of a configuration on stderr."""
    for problem in error.problems:
        click.echo(str(problem), err=True)
    raise SystemExit(WRONG_CONFIGURATION) from None


def echo_json(value: object) -> None:
    """Print a value as JSON."""
    click.echo(json_text(value, indent=2))


def json_text(value: object, indent: int | None = None) -> str:
    """Give JSON that stdout can write, and in which nothing acts on a terminal."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeError:
        text = json.dumps(value, indent=indent)
    return "".join(
        letter if letter.isprintable() or letter == "\n" else _escaped(letter) for letter in text
    )


def _escaped(letter: str) -> str:
    """Give a letter as JSON may spell it; DEL is ASCII, so that `json` lets it stand."""
    return json.dumps(letter)[1:-1] if letter != "\x7f" else "\\u007f"


def fail(message: str, code: int = FAILED) -> NoReturn:
    """End the program with one line on stderr that says why and what to do."""
    tell(message)
    raise SystemExit(code)


def tell(message: str, *, err: bool = True) -> None:
    """Say a sentence in one line; on a terminal it is folded between its words."""
    text = printable(message)
    width = _width(sys.stderr if err else sys.stdout)
    for line in folded(text, width, width) if width and len(text) > width // 2 else [text]:
        click.echo(line, err=err)


def _width(stream: TextIO | None) -> int:
    """Give how many cells a terminal is wide, 0 for whatever is none."""
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream and stream.isatty() else 0
    except (OSError, ValueError):
        return 0
