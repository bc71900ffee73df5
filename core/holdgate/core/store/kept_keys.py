"""Kept keys: where commands put a vendor's key, so that config.toml itself never holds one.

People commit config.toml, share it and show it around. A key that is typed goes into a file of its
own beside it, readable by its owner alone and left out by git, or into the system's secret store.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Protocol

from holdgate.core.editing.files import NEW_FILE_MODE, make_folders, replace_file
from holdgate.core.store.secrets import KEYRING_SERVICE, SecretMissing
from holdgate.core.values.secret import Secret

FOLDER = "keys"
# Some have the whole folder of configuration under version control.
_IGNORE, _ALL = ".gitignore", b"*\n"


class Vault(Protocol):
    """The system's secret store. All methods raise ImportError where it is not installed."""

    def get(self, service: str, name: str) -> str | None:
        """Give an entry, None if there is none. Raises SecretMissing."""
        ...

    def put(self, service: str, name: str, value: str) -> None:
        """Write an entry. Raises SecretMissing."""
        ...

    def drop(self, service: str, name: str) -> None:
        """Take an entry out; nothing happens if there is none. Raises SecretMissing."""
        ...


class SystemVault:
    """See Vault: the one of the package keyring."""

    def get(self, service: str, name: str) -> str | None:
        """See Vault.get."""
        import keyring

        with _told("read"):
            return keyring.get_password(service, name)

    def put(self, service: str, name: str, value: str) -> None:
        """See Vault.put."""
        import keyring

        with _told("written"):
            keyring.set_password(service, name, value)

    def drop(self, service: str, name: str) -> None:
        """See Vault.drop."""
        import keyring
        import keyring.errors

        with _told("written"), contextlib.suppress(keyring.errors.PasswordDeleteError):
            keyring.delete_password(service, name)


@contextlib.contextmanager
def _told(done: str) -> Iterator[None]:
    import keyring.errors

    try:
        yield
    except keyring.errors.KeyringError as error:
        raise SecretMissing(
            f"the system's secret store cannot be {done} ({type(error).__name__}); unlock it, or "
            "leave --keyring out: the key goes into a file then"
        ) from error


class KeptKeys:
    """The keys below a folder of configuration, and in the secret store."""

    def __init__(self, config_folder: Path, home: str, vault: Vault | None = None) -> None:
        """Take the folder of config.toml; `home` is what `~` means to the gateway ("": unknown)."""
        self._folder = config_folder / FOLDER
        self._home = Path(home) if home else None
        self._vault: Vault = vault or SystemVault()

    def to_file(self, name: str, key: Secret) -> str:
        """Write a key into a new file and give its reference. Raises OSError."""
        make_folders(self._folder)
        if not (self._folder / _IGNORE).exists():
            replace_file(self._folder / _IGNORE, _ALL)
        for path in (self._folder / each for each in _names(name)):
            try:
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, NEW_FILE_MODE)
            except FileExistsError:
                continue
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(key.reveal() + "\n")
            return f"file:{self._shown(path)}"
        raise AssertionError("names do not end")

    def to_vault(self, name: str, key: Secret) -> str:
        """Write a key as a new entry and give its reference. Raises SecretMissing."""
        try:
            free = next(n for n in _names(name) if self._vault.get(KEYRING_SERVICE, n) is None)
            self._vault.put(KEYRING_SERVICE, free, key.reveal())
            held = self._vault.get(KEYRING_SERVICE, free)
        except ImportError:
            raise SecretMissing(
                "--keyring needs the keyring extra: pipx inject holdgate keyring "
                "(or pip install 'holdgate[keyring]')"
            ) from None
        if held != key.reveal():
            raise SecretMissing(
                "the system's secret store forgets what it is given; leave --keyring out: the key "
                "goes into a file then"
            )
        return f"keyring:{free}"

    def is_own(self, name: str, ref: str) -> bool:
        """Tell whether a provider's reference names what was kept here for it."""
        scheme, _, rest = ref.partition(":")
        if scheme == "keyring":
            return _is_of(name, rest)
        path = self._path(rest)
        return scheme == "file" and path.parent == self._folder and _is_of(name, path.name)

    def forget(self, ref: str) -> None:
        """Take out what `ref` names; see `is_own`. Raises OSError and SecretMissing."""
        scheme, _, rest = ref.partition(":")
        if scheme == "file":
            self._path(rest).unlink(missing_ok=True)
            if [each.name for each in self._folder.glob("*")] == [_IGNORE]:
                (self._folder / _IGNORE).unlink()
                self._folder.rmdir()
        else:
            with contextlib.suppress(ImportError):
                self._vault.drop(KEYRING_SERVICE, rest)

    def _shown(self, path: Path) -> str:
        """Give a path as it is written: below the home folder it says nobody's name."""
        if self._home is not None and path.is_relative_to(self._home):
            return f"~/{path.relative_to(self._home).as_posix()}"
        return str(path)

    def _path(self, written: str) -> Path:
        if self._home is not None and written.startswith("~/"):
            return self._home / written[2:]
        return Path(written)


def _names(name: str) -> Iterator[str]:
    """Give the name, then others: what is there already may be somebody's."""
    yield name
    for number in count(2):
        yield f"{name}-{number}"


def _is_of(name: str, kept: str) -> bool:
    rest = kept.removeprefix(f"{name}-")
    return kept == name or (rest != kept and rest.isdecimal())
