"""Secrets: turns what config.toml says of a vendor's key into the key itself.

A key stands there as `env:NAME`, `file:PATH`, `keyring:NAME`, or as the key. No message of this
file ever holds a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from holdgate.core.values.secret import Secret

KEYRING_SERVICE = "holdgate"
# What can stand in a header: a pasted line break or bullet would otherwise fail far from here.
_GOOD = re.compile(r"[!-~]+")

ReadFile = Callable[[Path], str]
# Takes the service and the entry's name; None: no such entry. ImportError: not installed.
Keyring = Callable[[str, str], str | None]


class SecretMissing(ValueError):
    """A secret that is not there or cannot be a key; `str()` says what to do."""


def read_text(path: Path) -> str:
    """Give a file's text, without the mark that some editors put before it."""
    return path.read_text(encoding="utf-8-sig")


def system_keyring(service: str, name: str) -> str | None:
    """Ask the system's secret store. Raises ImportError without the extra, SecretMissing."""
    import keyring
    import keyring.errors

    try:
        return keyring.get_password(service, name)
    except keyring.errors.KeyringError as error:
        raise SecretMissing(
            f"the system's secret store did not give {name!r} ({type(error).__name__}); "
            "unlock it, or use env: or file:"
        ) from error


class SecretStore:
    """Where secrets are looked up. Nothing is remembered: a changed secret is read again."""

    __slots__ = ("_environ", "_keyring", "_read_file")

    def __init__(
        self,
        environ: Mapping[str, str],
        read_file: ReadFile = read_text,
        keyring: Keyring = system_keyring,
    ) -> None:
        """Take the environment, and how files and the system's secret store are read."""
        self._environ = environ
        self._read_file = read_file
        self._keyring = keyring

    def file_of(self, ref: str) -> Path | None:
        """Give the file that `ref` names; None if it names none."""
        scheme, _, rest = ref.partition(":")
        is_file = scheme.strip().lower() == "file" and rest.strip()
        return self._expanded(rest.strip()) if is_file else None

    def resolve(self, ref: str) -> Secret:
        """Give the secret that `ref` names; "" is the empty secret of a vendor that wants none.

        Raises SecretMissing.
        """
        scheme, colon, rest = ref.partition(":")
        match scheme.strip().lower() if colon else "":
            case "env":
                return self._from_env(rest.strip())
            case "file":
                return self._from_file(rest.strip())
            case "keyring":
                return self._from_keyring(rest.strip())
        return checked(ref, "the key in the configuration") if ref else Secret("")

    def _from_env(self, name: str) -> Secret:
        if not name:
            raise SecretMissing('"env:" names no environment variable; write "env:NAME"')
        value = self._environ.get(name)
        if not value:
            raise SecretMissing(
                f"the environment variable {name} is {'not set' if value is None else 'empty'}; "
                "set it where the gateway is started"
            )
        return checked(value, f"the environment variable {name}")

    def _from_file(self, written: str) -> Secret:
        if not written:
            raise SecretMissing('"file:" names no file; write "file:PATH"')
        path = self._expanded(written)
        try:
            value = self._read_file(path).rstrip("\r\n")
        except FileNotFoundError:
            raise SecretMissing(
                f"the key file {path} does not exist; write the key into it"
            ) from None
        except UnicodeDecodeError:
            raise SecretMissing(f"the key file {path} is not a text file in UTF-8") from None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "not a path"
            raise SecretMissing(f"the key file {path} cannot be read: {why}") from None
        if not value:
            raise SecretMissing(f"the key file {path} is empty; write the key into it")
        return checked(value, f"the key file {path}")

    def _expanded(self, written: str) -> Path:
        home = self._environ.get("HOME") or self._environ.get("USERPROFILE")
        if home and (written == "~" or written.startswith(("~/", "~\\"))):
            return Path(home) / written[2:]
        try:
            return Path(written).expanduser()
        except RuntimeError:  # no such user
            return Path(written)

    def _from_keyring(self, name: str) -> Secret:
        if not name:
            raise SecretMissing('"keyring:" names no entry; write "keyring:NAME"')
        try:
            value = self._keyring(KEYRING_SERVICE, name)
        except ImportError:
            raise SecretMissing(
                f"\"keyring:{name}\" needs the keyring extra: pip install 'holdgate[keyring]'"
            ) from None
        if not value:
            raise SecretMissing(
                f"the system's secret store has no {name!r}; "
                f"put it there: keyring set {KEYRING_SERVICE} {name}"
            )
        return checked(value, f"{name!r} in the system's secret store")


def checked(value: str, where: str) -> Secret:
    """Give the secret that a text is. Raises SecretMissing if no header can hold it."""
    if not _GOOD.fullmatch(value):
        raise SecretMissing(
            f"{where} holds a space, a line break, a control character or a letter beyond ASCII, "
            "which no key does; paste it again"
        )
    return Secret(value)
