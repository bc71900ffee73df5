"""Places: where the configuration, the state, the cache and the logs live."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

APP = "holdgate"
CONFIG_NAME = "config.toml"


@dataclass(frozen=True, slots=True)
class Places:
    """Absolute paths; none of them need exist yet. `state`, `cache` and `log` are folders."""

    config_file: Path
    state: Path
    cache: Path
    log: Path


def find_places(environ: Mapping[str, str], config: Path | None = None) -> Places:
    """Give the places of this person.

    `config` is what `--config` said. It goes before HOLDGATE_CONFIG, which goes before
    HOLDGATE_HOME (all below one folder), which goes before the platform's own folders. An empty
    variable counts as absent.
    """
    home = environ.get("HOLDGATE_HOME")
    places = _below(_absolute(home)) if home else _of_platform()
    named = config or environ.get("HOLDGATE_CONFIG")
    if not named:
        return places
    return Places(_absolute(named), places.state, places.cache, places.log)


def _below(home: Path) -> Places:
    return Places(home / "config" / CONFIG_NAME, home / "state", home / "cache", home / "log")


def _of_platform() -> Places:
    import platformdirs

    return Places(
        platformdirs.user_config_path(APP, appauthor=False) / CONFIG_NAME,
        platformdirs.user_state_path(APP, appauthor=False),
        platformdirs.user_cache_path(APP, appauthor=False),
        platformdirs.user_log_path(APP, appauthor=False),
    )


def _absolute(path: str | Path) -> Path:
    # Not resolve(): a link to a file in a dotfiles folder keeps its own name in messages.
    return Path(os.path.abspath(Path(path).expanduser()))
