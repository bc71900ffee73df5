"""Key files: the files that hold vendors' keys are watched, since keys change apart from config."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from holdgate.core.config.watch import Watch, stamp_of
from holdgate.core.store.secrets import SecretStore
from holdgate.core.values.settings import Settings


class KeyFiles:
    """The last seen versions of all files that `file:PATH` keys name."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Start with none; the environment says where `~` is."""
        self._store = SecretStore(environ)
        self._watches: dict[Path, Watch] = {}

    def follow(self, settings: Settings) -> None:
        """Watch the files that `settings` name. Do it before the keys are read."""
        named = (key.value for each in settings.providers.values() for key in each.keys)
        paths = {path for ref in named if (path := self._store.file_of(ref)) is not None}
        self._watches = {path: Watch(path, stamp_of(path)) for path in paths}

    def changed(self) -> list[Path]:
        """Give the files that are others than at the last look: edited, come or gone."""
        return sorted(path for path, watch in self._watches.items() if watch.changed())
