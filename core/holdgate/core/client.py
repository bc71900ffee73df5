"""The client of the control API, for the terminal and the tray."""

from __future__ import annotations

import contextlib
import http.client
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from holdgate.core.store.instance import Runtime, read_runtime
from holdgate.core.values.addresses import host_and_port

_PATIENCE = 10.0  # seconds
# Of the events: they bring a comment every 15 seconds if nothing else.
_QUIET = 40.0


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

    def page_url(self, request: str = "") -> str:
        """Give the address of the page, with the token, and perhaps with one request's details."""
        shown = {"token": self._runtime.token, **({"request": request} if request else {})}
        return f"{self._runtime.url}/#{urlencode(shown)}"

    def get(self, path: str, *, patience: float = _PATIENCE) -> Any:
        """Give the JSON at `path`, such as `/api/status`.

        `patience`: seconds to wait for it. Raises NotRunning and Refused.
        """
        return self._ask("GET", path, None, patience)

    def post(
        self, path: str, body: Mapping[str, Any] | None = None, *, patience: float = _PATIENCE
    ) -> Any:
        """Post a JSON body to `path`, such as `/api/pause`, and give the JSON that it answers.

        `patience`: seconds to wait for it. Raises NotRunning and Refused.
        """
        return self._ask("POST", path, json.dumps(dict(body or {})).encode(), patience)

    def events(self) -> Iterator[dict[str, Any]]:
        """Give snapshots: one at once, then one whenever something changed.

        Ends when the gateway shuts down. Raises NotRunning, also when the gateway is lost in
        between, and Refused.
        """
        connection = self._connection(_QUIET)
        try:
            reply = self._send(connection, "GET", "/api/events", None)
            if reply.status != 200:
                raise Refused(_message(reply.status, json.loads(reply.read())))
            while line := reply.readline():
                if line.startswith(b"data: "):
                    yield json.loads(line.removeprefix(b"data: "))
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._lost() from error
        finally:
            connection.close()

    def _ask(self, method: str, path: str, body: bytes | None, patience: float) -> Any:
        connection = self._connection(patience)
        try:
            reply = self._send(connection, method, path, body)
            found = json.loads(reply.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._lost() from error
        finally:
            connection.close()
        if reply.status != 200:
            raise Refused(_message(reply.status, found))
        return found

    def _connection(self, patience: float) -> http.client.HTTPConnection:
        parts = urlsplit(self._runtime.url)
        return http.client.HTTPConnection(
            parts.hostname or "127.0.0.1", parts.port, timeout=patience
        )

    def _send(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None
    ) -> http.client.HTTPResponse:
        headers = {"Authorization": f"Bearer {self._runtime.token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, body, headers)
        return connection.getresponse()

    def _lost(self) -> NotRunning:
        return NotRunning(
            f"no gateway answers at {self._runtime.url}; start it with: gateway serve"
        )


def _message(status: int, found: Any) -> str:
    try:
        return str(found["error"]["message"])
    except (TypeError, KeyError):
        return f"the gateway answered with HTTP {status}"


def connect(state: Path) -> ControlClient:
    """Give the client of the gateway that runs with this state folder. Raises NotRunning."""
    runtime = read_runtime(state)
    if runtime is None:
        raise NotRunning("no gateway is running; start it with: gateway serve")
    return ControlClient(runtime)


def ask_as_agent(url: str, path: str, key: str = "", *, patience: float = 2.0) -> Any:
    """Give the JSON at `path` of the gateway at `url`, asked as an agent asks, with its key.

    `url` is http or https, with nothing behind the port; `patience`: seconds to wait. Raises
    NotRunning where nothing answers, or no Holdgate, and Refused.
    """
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    try:
        connection = kind(parts.hostname or "", parts.port, timeout=patience)
        with contextlib.closing(connection):
            connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
            reply = connection.getresponse()
            found = json.loads(reply.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotRunning(f"no gateway answers at {url}") from error
    if reply.status != 200:
        raise Refused(_message(reply.status, found))
    return found


def greets(url: str, key: str = "", *, patience: float = 2.0) -> bool:
    """Tell whether it is a Holdgate that answers at `url`. Raises as `ask_as_agent` does."""
    found = ask_as_agent(url, "/healthz", key, patience=patience)
    return isinstance(found, dict) and found.get("name") == "holdgate"


def is_holdgate(host: str, port: int) -> bool:
    """Tell whether it is another Holdgate that listens there."""
    try:
        return greets(f"http://{host_and_port(host, port)}")
    except (NotRunning, Refused):
        return False
