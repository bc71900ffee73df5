"""The sections [routes] and [callers]: who may answer, and how who asks is treated."""

from __future__ import annotations

import re
from collections.abc import Collection

from holdgate.core.config.problems import Report, nearest_name
from holdgate.core.config.tables import Table, named_tables, read_table, sub_table
from holdgate.core.editing.base import KeyPath
from holdgate.core.values.settings import CallerProfile, Hold, Match, Queue, Route

# Agents write a route where they write a model, so it may look like one: sonnet[1m], qwen3:8b.
_ROUTE_NAME = re.compile(r"[!-.0-~]+")
ALLOWED_ROUTE = "a model name without spaces and slashes"


def read_routes(report: Report, data: Table, providers: Collection[str]) -> dict[str, Route]:
    """Give the routes of a parsed config.toml by name; what is wrong is reported.

    `providers` are the names of all providers there, also of those that are wrong themselves.
    """
    return {
        name: _read_route(report, name, table, path, providers)
        for name, table, path in named_tables(report, data, "routes")
    }


def read_callers(report: Report, data: Table) -> dict[str, CallerProfile]:
    """Give the caller profiles of a parsed config.toml by name; what is wrong is reported."""
    return {
        name: _read_caller(report, name, table, path)
        for name, table, path in named_tables(report, data, "callers")
    }


def _read_route(
    report: Report, name: str, table: Table, path: KeyPath, providers: Collection[str]
) -> Route:
    if not _ROUTE_NAME.fullmatch(name):
        report.wrong(path, name, ALLOWED_ROUTE)
    elif name in providers:
        report.wrong(path, name, "a name that no provider has")
    given = read_table(report, Route, table, path)
    candidates = given.get("candidates")
    if candidates == () or "candidates" not in table:
        report.says((*path, "candidates"), 'needs at least one candidate, each "provider/model"')
    for index, candidate in enumerate(candidates or ()):
        _check_candidate(report, candidate, (*path, "candidates", index), providers)
    return Route(name=name, **given)


def _check_candidate(
    report: Report, candidate: str, path: KeyPath, providers: Collection[str]
) -> None:
    provider, slash, model = candidate.partition("/")
    if not slash or not provider or not model.strip():
        report.wrong(path, candidate, '"provider/model"')
    elif provider not in providers:
        known = ", ".join(providers) or "none is set up"
        nearest = nearest_name(provider, providers)
        hint = f"{nearest}/{model}" if nearest else ""
        report.wrong(path, candidate, f"a provider of this file ({known})", hint)


def _read_caller(report: Report, name: str, table: Table, path: KeyPath) -> CallerProfile:
    given = read_table(report, CallerProfile, table, path, also=("match", "hold", "queue"))
    inner = {
        part: read_table(report, cls, sub_table(report, table, path, part), (*path, part))
        for part, cls in (("match", Match), ("hold", Hold), ("queue", Queue))
    }
    return CallerProfile(
        name=name,
        match=Match(**inner["match"]),
        hold=inner["hold"],
        queue=inner["queue"],
        **given,
    )
