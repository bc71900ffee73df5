"""Gateway keys: the keys that callers from elsewhere show, kept as salted hashes in a file.

A key reads `hgk-<id>-<secret>`: the id finds the entry, the secret has 256 random bits. That many
need no slow hash, so a check costs one SHA-256 on the request's path.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec
from filelock import FileLock

from holdgate.core.editing.files import make_folders, replace_file

FILE_NAME = "keys.json"
LONGEST_NAME = 64
_VERSION = 1
_ID_BYTES = 4
_SALT_BYTES = 16
_SECRET_BYTES = 32
_TOKEN = re.compile(r"hgk-([0-9a-f]{8})-([A-Za-z0-9_-]{43})")
_ID = re.compile(r"[0-9a-f]{8}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LOCK_WAIT = 10.0  # seconds for another command to finish its edit

RandomBytes = Callable[[int], bytes]


class KeysFileBroken(ValueError):
    """keys.json cannot be read or understood; `str()` says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """One gateway key as it is stored.

    `salt` and `digest` (SHA-256 of salt and secret) are hex; `created` is in Unix seconds. A
    revoked key stays in the list, not enabled.
    """

    id: str
    name: str
    salt: str
    digest: str
    created: float
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class _File:
    version: int
    keys: list[KeyEntry]


class GatewayKeys:
    """The gateway keys of one state folder.

    `check` looks only at what was read last; `reload_if_changed` notices what commands did.
    """

    __slots__ = ("_by_id", "_path", "_random", "_seen", "_wall")

    def __init__(
        self,
        folder: Path,
        wall: Callable[[], float],
        token_bytes: RandomBytes = secrets.token_bytes,
    ) -> None:
        """Read the keys in `folder`, which need not exist; `wall` gives Unix seconds.

        Raises KeysFileBroken.
        """
        self._path = folder / FILE_NAME
        self._wall = wall
        self._random = token_bytes
        self._seen: tuple[int, int, int] | None = None
        self._by_id: Mapping[str, KeyEntry] = {}
        self._read()

    def add(self, name: str) -> str:
        """Make a key called `name` and give its text, which is kept nowhere.

        Raises ValueError for a name that is taken or cannot be one, KeysFileBroken, OSError.
        """
        name = _checked_name(name)
        with self._editing():
            if any(entry.name == name for entry in self._by_id.values() if entry.enabled):
                raise ValueError(f"a gateway key is called {name!r} already; revoke it first")
            key_id = self._new_id()
            salt = self._random(_SALT_BYTES)
            secret = base64.urlsafe_b64encode(self._random(_SECRET_BYTES)).rstrip(b"=").decode()
            entry = KeyEntry(key_id, name, salt.hex(), _digest(salt, secret), round(self._wall()))
            self._write({**self._by_id, key_id: entry})
        return f"hgk-{key_id}-{secret}"

    def list(self) -> tuple[KeyEntry, ...]:
        """Give all keys, also revoked ones, the oldest first."""
        return tuple(self._by_id.values())

    def revoke(self, name_or_id: str) -> KeyEntry:
        """Switch a key off, for good, and give its entry. The name goes before the id.

        Raises ValueError if no enabled key is called that, KeysFileBroken, OSError.
        """
        with self._editing():
            enabled = [entry for entry in self._by_id.values() if entry.enabled]
            for entry in [
                *(entry for entry in enabled if entry.name == name_or_id),
                *(entry for entry in enabled if entry.id == name_or_id),
            ]:
                revoked = replace(entry, enabled=False)
                self._write({**self._by_id, entry.id: revoked})
                return revoked
        raise ValueError(
            f"no enabled gateway key is called {name_or_id!r}; `gateway keys list` shows them"
        )

    def check(self, token: str) -> KeyEntry | None:
        """Give the enabled key whose text `token` is."""
        match = _TOKEN.fullmatch(token)
        entry = self._by_id.get(match[1]) if match else None
        if match is None or entry is None or not entry.enabled:
            return None
        digest = _digest(bytes.fromhex(entry.salt), match[2])
        return entry if hmac.compare_digest(digest, entry.digest) else None

    def reload_if_changed(self) -> bool:
        """Read the file again if it is another one than last time; tell whether it was.

        Raises KeysFileBroken; the keys read before stay good then.
        """
        if self._stat() == self._seen:
            return False
        self._read()
        return True

    def _new_id(self) -> str:
        while (key_id := self._random(_ID_BYTES).hex()) in self._by_id:
            pass
        return key_id

    def _stat(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._broken(error.strerror or "cannot be read") from error
        return (found.st_mtime_ns, found.st_size, found.st_ino)

    def _read(self) -> None:
        # The mark is taken first: a change in between is noticed at the next look.
        seen = self._stat()
        try:
            entries = _parsed(self._path.read_bytes()) if seen else ()
        except FileNotFoundError:
            seen, entries = None, ()
        except OSError as error:
            raise self._broken(error.strerror or "cannot be read") from error
        except ValueError as error:
            raise self._broken(str(error)) from error
        self._by_id = {entry.id: entry for entry in entries}
        self._seen = seen

    def _broken(self, why: str) -> KeysFileBroken:
        return KeysFileBroken(
            f"{self._path}: {why}; mend it, or move it away to begin without gateway keys"
        )

    @contextlib.contextmanager
    def _editing(self) -> Iterator[None]:
        """Keep other commands out, and begin from what is in the file now."""
        make_folders(self._path.parent)
        with FileLock(self._path.with_suffix(".lock"), timeout=_LOCK_WAIT, mode=0o600):
            self._read()
            yield

    def _write(self, by_id: Mapping[str, KeyEntry]) -> None:
        shape = asdict(_File(_VERSION, list(by_id.values())))
        replace_file(self._path, json.dumps(shape, indent=1).encode() + b"\n", alone=True)
        self._read()


def _digest(salt: bytes, secret: str) -> str:
    return hashlib.sha256(salt + secret.encode()).hexdigest()


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(f"a key's name is 1 to {LONGEST_NAME} printable characters")
    return name


def _parsed(text: bytes) -> tuple[KeyEntry, ...]:
    """Give the entries of the file's text. Raises ValueError that says what is wrong."""
    try:
        file = msgspec.json.decode(text, type=_File)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error
    if file.version != _VERSION:
        raise ValueError(f"its version is {file.version}, this program reads {_VERSION}")
    for entry in file.keys:
        if not _ID.fullmatch(entry.id) or not _DIGEST.fullmatch(entry.digest):
            raise ValueError(f"the key {entry.name!r} has an id or a digest that is none")
        try:
            bytes.fromhex(entry.salt)
        except ValueError:
            raise ValueError(f"the salt of the key {entry.name!r} is not hexadecimal") from None
    if len({entry.id for entry in file.keys}) != len(file.keys):
        raise ValueError("two keys have the same id")
    return tuple(file.keys)
