"""Tables: a TOML table read by the fields of the dataclass that declares its keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, fields
from typing import Any

from holdgate.core.config.problems import Report
from holdgate.core.editing.base import KeyPath
from holdgate.core.values.kinds import Kind, WrongValue

Table = Mapping[str, object]


def declared(cls: type[Any]) -> dict[str, Field[Any]]:
    """Give the fields of `cls` that config.toml may set, by name; metadata has kind and help."""
    return {field.name: field for field in fields(cls) if "kind" in field.metadata}


def kind_of(field: Field[Any]) -> Kind:
    """Give what a declared field may hold."""
    kind: Kind = field.metadata["kind"]
    return kind


def read_table(
    report: Report, cls: type[Any], table: Table, path: KeyPath, also: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Give the inner values of those keys of `table` that `cls` declares and that are right.

    Unknown keys and wrong values are reported; keys in `also` are left to the caller.
    """
    known = declared(cls)
    given: dict[str, Any] = {}
    for name, value in table.items():
        if name in also:
            continue
        if name not in known:
            report.unknown((*path, name), (*known, *also))
            continue
        kind = kind_of(known[name])
        try:
            given[name] = kind.parse(value)
        except (WrongValue, OverflowError):  # a number may be too large for its kind
            report.wrong((*path, name), value, kind.allowed)
    return given


def sub_table(report: Report, table: Table, path: KeyPath, name: str) -> Table:
    """Give the table under `name`, empty if absent or, reported, if it is none."""
    value = table.get(name, {})
    if isinstance(value, dict):
        return value
    report.wrong((*path, name), value, "a table")
    return {}


def named_tables(report: Report, data: Table, section: str) -> Iterator[tuple[str, Table, KeyPath]]:
    """Give name, table and path of each table in a section such as [providers]."""
    tables = sub_table(report, data, (), section)
    for name in tables:
        value = tables[name]
        if isinstance(value, dict):
            yield name, value, (section, name)
        else:
            report.wrong((section, name), value, "a table")
