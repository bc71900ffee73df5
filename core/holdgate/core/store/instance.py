"""The instance: one gateway for each state folder, and how others on this machine find it.

The lock is the operating system's own and is free the moment its process is gone, also after
kill -9; runtime.json says who holds it, and may be a dead one's.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from holdgate.core.editing.files import NEW_FILE_MODE, make_folders, replace_file

LOCK_NAME = "gateway.lock"
RUNTIME_NAME = "runtime.json"


@dataclass(frozen=True, slots=True)
class Runtime:
    """What runtime.json says: the address, the process, the control token, the configuration."""

    url: str
    pid: int
    token: str
    version: str
    config: str = ""


class AlreadyRunning(Exception):
    """Another gateway holds the state folder; `runtime` is what it wrote, if it did."""

    def __init__(self, runtime: Runtime | None) -> None:
        """Take what is known of the other one."""
        where = f" at {runtime.url} (process {runtime.pid})" if runtime else ""
        super().__init__(f"another gateway runs already{where}; gateway status shows it")
        self.runtime = runtime


class Instance:
    """The lock of one state folder, held from `acquire` to `release`."""

    def __init__(self, state: Path) -> None:
        """Take the state folder."""
        self._state = state
        # Not thread-local: the main thread takes it, whoever ends the process gives it back.
        self._lock = FileLock(state / LOCK_NAME, mode=NEW_FILE_MODE, thread_local=False)

    def acquire(self) -> None:
        """Become the one gateway. Raises AlreadyRunning, or OSError for a folder of no use."""
        make_folders(self._state)
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise AlreadyRunning(read_runtime(self._state)) from None

    def announce(self, runtime: Runtime) -> None:
        """Write runtime.json, readable by this user alone."""
        said = json.dumps(asdict(runtime)).encode()
        replace_file(self._state / RUNTIME_NAME, said, alone=True)

    def release(self) -> None:
        """Take runtime.json away and give the lock back; saying it again changes nothing."""
        if self._lock.is_locked:
            with contextlib.suppress(OSError):
                (self._state / RUNTIME_NAME).unlink(missing_ok=True)
            self._lock.release()


def read_runtime(state: Path) -> Runtime | None:
    """Give what runtime.json says, or None if there is none that can be read."""
    try:
        found = json.loads((state / RUNTIME_NAME).read_text(encoding="utf-8"))
        return Runtime(
            str(found["url"]), int(found["pid"]), str(found["token"]), str(found["version"]),
            str(found.get("config", "")),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None
