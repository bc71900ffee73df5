"""The rests file: keeps the rests of keys over a restart, and tells a secret that was changed."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from holdgate.core.editing.files import replace_file
from holdgate.core.values.rests import Rest
from holdgate.core.values.secret import Secret

log = logging.getLogger(__name__)

FILE_NAME = "rests.json"
_VERSION = 1
_SALT_BYTES = 16
_DIGEST_BYTES = 8


class _File(msgspec.Struct, frozen=True):
    """`salt` is hex. The rests are read one by one: one that does not fit spoils no other."""

    version: int
    salt: str
    rests: list[msgspec.Raw]


class RestsFile:
    """The rests of one state folder. `load` comes first: it brings the salt of the fingerprints."""

    def __init__(
        self, path: Path, token_bytes: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        """Take the file, which need not exist, and where chance comes from."""
        self._path = path
        self._salt = token_bytes(_SALT_BYTES)
        self._told = False
        self._saving = threading.Lock()

    def load(self) -> list[Rest]:
        """Give the rests that were saved; none where the file is missing or cannot be used."""
        try:
            file = msgspec.json.decode(self._path.read_bytes(), type=_File)
            if file.version != _VERSION:
                raise ValueError(f"its version is {file.version}, this program reads {_VERSION}")
            self._salt = _salt_of(file.salt)
            return list(_fitting(file.rests))
        except FileNotFoundError:
            return []
        except (OSError, ValueError, RecursionError) as error:
            self._tell(error)
            return []

    def save(self, rests: Sequence[Rest]) -> None:
        """Put these rests in the place of the earlier ones, whole or not at all. Raises OSError."""
        shape = _File(_VERSION, self._salt.hex(), [_raw(rest) for rest in rests])
        text = msgspec.json.format(msgspec.json.encode(shape), indent=1) + b"\n"
        with self._saving:
            replace_file(self._path, text, alone=True)

    def fingerprint(self, secret: Secret) -> str:
        """Give what tells this secret from another one, in this file only, without showing it."""
        text = secret.reveal().encode()
        return hashlib.blake2b(text, key=self._salt, digest_size=_DIGEST_BYTES).hexdigest()

    def _tell(self, error: Exception) -> None:
        if not self._told:
            log.warning("%s cannot be used (%s): no key rests from before", self._path, error)
        self._told = True


def _salt_of(text: str) -> bytes:
    """Give the salt that the file tells. Raises ValueError."""
    with contextlib.suppress(ValueError):
        if len(salt := bytes.fromhex(text)) == _SALT_BYTES:
            return salt
    raise ValueError("its salt is none")


def _raw(rest: Rest) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(rest))


def _fitting(entries: Iterable[msgspec.Raw]) -> Iterator[Rest]:
    for entry in entries:
        with contextlib.suppress(ValueError):
            rest = msgspec.json.decode(entry, type=Rest)
            if rest.provider and rest.key and rest.strikes > 0:
                yield rest
