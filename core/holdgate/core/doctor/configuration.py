"""The configuration: is it right, and can every name that agents ask for be answered?"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from pathlib import Path

from holdgate.core.config.load import load_file
from holdgate.core.config.masks import is_reference, is_secret_header
from holdgate.core.config.problems import ConfigError, Problem
from holdgate.core.doctor.finding import Finding, fail, note, ok, warn
from holdgate.core.relay.proxies import passwords
from holdgate.core.values.settings import Provider, Route, Settings

_EDIT = "gateway config edit"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the file says: `settings` are the defaults where it is wrong."""

    path: Path
    exists: bool
    settings: Settings
    problems: tuple[Problem, ...] = ()

    @property
    def fine(self) -> bool:
        """Whether the file is right, or is not there."""
        return not self.problems

    @property
    def has_key(self) -> bool:
        """Whether a secret stands in it; a wrong file is taken to hold some."""
        return not self.fine or any(map(_has_secret, self.settings.providers.values()))


def read_configuration(path: Path) -> Configuration:
    """Read the file, and look at the files that it names."""
    try:
        return Configuration(path, path.exists(), load_file(path, with_files=True))
    except ConfigError as error:
        return Configuration(path, True, Settings(), error.problems)


def examine_configuration(found: Configuration) -> tuple[Finding, ...]:
    """Judge the configuration."""
    if found.problems:
        return tuple(fail("config.toml", str(each), _EDIT) for each in found.problems)
    settings = found.settings
    if not found.exists or not settings.providers:
        missing = "names no provider" if found.exists else "does not exist yet"
        todo = "gateway provider add NAME (gateway presets shows vendors); or gateway serve --demo"
        return (note("config.toml", f"{found.path} {missing}", todo),)
    counts = f"{_counted(settings.providers, 'provider')}, {_counted(settings.routes, 'route')}"
    routes = (_route(settings, route) for route in settings.routes.values())
    return (ok("config.toml", f"{found.path}: fine: {counts}"), *routes)


def _counted(found: Sized, noun: str) -> str:
    return f"{len(found)} {noun}{'' if len(found) == 1 else 's'}"


def _has_secret(provider: Provider) -> bool:
    return (
        any(key.value and not is_reference(key.value) for key in provider.keys)
        or any(is_secret_header(name) for name, _ in provider.headers)
        or bool(passwords([provider.proxy]))
    )


def _route(settings: Settings, route: Route) -> Finding:
    name = f"route {route.name}"
    wrong = [why for each in route.candidates if (why := _why_not(settings, each))]
    if not wrong:
        return ok(name, ", then ".join(route.candidates))
    if len(wrong) == len(route.candidates):
        return fail(name, f"nobody can answer it: {'; '.join(wrong)}", _EDIT)
    return warn(name, "; ".join(wrong), _EDIT)


def _why_not(settings: Settings, candidate: str) -> str:
    """Say why a candidate cannot answer; nothing if it can, as far as the file tells."""
    name, _, model = candidate.partition("/")
    provider = settings.providers.get(name)
    if provider is None:
        return f"{candidate}: there is no provider {name}"
    if not any(key.on for key in provider.keys):
        return f"{candidate}: each key of {name} is switched off"
    if provider.models is not None and all(each.id != model for each in provider.models):
        return f"{candidate}: {name} does not name that model among its `models`"
    return ""
