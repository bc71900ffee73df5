"""The loader: the text of config.toml becomes Settings, or a ConfigError with all its problems."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from holdgate.core.catalog import load_preset
from holdgate.core.config.authorities import check_authorities
from holdgate.core.config.masks import mask_text, secrets_in
from holdgate.core.config.problems import ConfigError, Problem, Report
from holdgate.core.config.providers import FindPreset, read_providers
from holdgate.core.config.routes import read_callers, read_routes
from holdgate.core.config.tables import Table, read_table, sub_table
from holdgate.core.editing import files
from holdgate.core.editing.toml_lines import Lines, map_lines
from holdgate.core.values.settings import Hold, Queue, Server, Settings

EVERY_INTERFACE = "0.0.0.0"
_AT_LINE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)")


def load_file(path: Path, *, with_files: bool = False) -> Settings:
    """Give the settings of a file; a missing one is an empty configuration.

    `with_files`: look at the files that it names, too; a gateway starts without them, and tells it
    where one is needed. Raises ConfigError for a file that cannot be read, is not UTF-8, or holds
    anything wrong.
    """
    text = read_text(path)
    return Settings() if text is None else load(text, str(path), with_files=with_files)


def read_text(path: Path) -> str | None:
    """Give the text of a file with its line ends as they are, or None if there is none.

    Raises ConfigError for a file that cannot be read or is not UTF-8.
    """
    try:
        return files.read_text(path)
    except OSError as error:
        says = f"cannot be read: {error.strerror or error}"
        raise ConfigError([Problem(str(path), 0, "", says=says)]) from error
    except files.NotText as error:
        says = "not UTF-8; save the file in that encoding"
        raise ConfigError([Problem(str(path), error.line, "", says=says)]) from error


def load(
    text: str, filename: str, find_preset: FindPreset = load_preset, *, with_files: bool = False
) -> Settings:
    """Give the settings that a TOML text holds; `filename` is for the messages.

    Raises ConfigError with every problem, or with the first one where the text is no TOML.
    """
    data = _parse(text.removeprefix("\ufeff"), filename)  # some editors begin with a BOM
    report = Report(filename, map_lines(text.removeprefix("\ufeff")), secrets_in(data))
    sections = [section.name for section in fields(Settings)]
    for name in data:
        if name not in sections:
            report.unknown((name,), sections)
    settings = _read(report, data, find_preset)
    if with_files:
        check_authorities(report, settings)
    report.finish()
    return settings


def _parse(text: str, filename: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        says = "not valid TOML: nested too deeply"
        raise ConfigError([Problem(filename, 1, "", says=says)]) from error
    except ValueError as error:
        raise ConfigError([_syntax_problem(text, filename, str(error))]) from error


def _syntax_problem(text: str, filename: str, message: str) -> Problem:
    place = _AT_LINE.search(message)
    says = "not valid TOML: " + mask_text(_AT_LINE.sub("", message))
    if place and place[1]:
        return Problem(filename, int(place[1]), "", says=f"{says} (column {place[2]})")
    return Problem(filename, text.rstrip("\n").count("\n") + 1, "", says=says)


def _read(report: Report, data: Table, find_preset: FindPreset) -> Settings:
    providers = sub_table(Report("", Lines()), data, (), "providers")  # wrong ones are told below
    return Settings(
        server=_read_server(report, sub_table(report, data, (), "server")),
        hold=Hold(**read_table(report, Hold, sub_table(report, data, (), "hold"), ("hold",))),
        queue=Queue(**read_table(report, Queue, sub_table(report, data, (), "queue"), ("queue",))),
        providers=read_providers(report, data, find_preset),
        routes=read_routes(report, data, providers),
        callers=read_callers(report, data),
    )


def _read_server(report: Report, table: Table) -> Server:
    given = read_table(report, Server, table, ("server",))
    if given.get("lan"):
        given.setdefault("host", EVERY_INTERFACE)
    elif not _is_loopback(given.get("host", "localhost")):
        allowed = "a loopback address such as 127.0.0.1, or any with lan = true"
        report.wrong(("server", "host"), given["host"], allowed)
    return Server(**given)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
