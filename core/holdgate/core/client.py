"""The client of the control API, for the terminal and the tray."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from holdgate.core.store.instance import Runtime, read_runtime

_PATIENCE = 10.0  # seconds


class NotRunning(Exception):
    """No gateway answers."""


class Refused(Exception):
    """The gateway answered with an error; `str()` is its message."""


class ControlClient:
    """Asks one running gateway. Each call is one short connection."""

    def __init__(self, runtime: Runtime) -> None:
        """Take where it is and its token."""
        self._runtime = runtime

    @property
    def url(self) -> str:
        """The gateway's address."""
        return self._runtime.url

    def get(self, path: str) -> Any:
        """Give the JSON at `path`, such as `/api/status`.

        Raises NotRunning and Refused.
        """
        parts = urlsplit(self._runtime.url)
        connection = http.client.HTTPConnection(
            parts.hostname or "127.0.0.1", parts.port, timeout=_PATIENCE
        )
        try:
            connection.request(
                "GET", path, headers={"Authorization": f"Bearer {self._runtime.token}"}
            )
            reply = connection.getresponse()
            body = json.loads(reply.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise NotRunning(
                f"no gateway answers at {self._runtime.url}; start it with: gateway serve"
            ) from error
        finally:
            connection.close()
        if reply.status != 200:
            raise Refused(str(body.get("error", {}).get("message", f"HTTP {reply.status}")))
        return body


def connect(state: Path) -> ControlClient:
    """Give the client of the gateway that runs with this state folder. Raises NotRunning."""
    runtime = read_runtime(state)
    if runtime is None:
        raise NotRunning("no gateway is running; start it with: gateway serve")
    return ControlClient(runtime)


def is_holdgate(host: str, port: int) -> bool:
    """Tell whether it is another Holdgate that listens there."""
    connection = http.client.HTTPConnection(host, port, timeout=2.0)
    try:
        connection.request("GET", "/healthz")
        found = json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()
    return isinstance(found, dict) and found.get("name") == "holdgate"
