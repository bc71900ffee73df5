"""The server's one handler: guard, path, and who serves it; every fault in its dialect's shape."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

from aiohttp import web

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.headers import merged
from holdgate.core.relay.telling import error_headers
from holdgate.core.server import agents_api, control_api, models_api
from holdgate.core.server.bodies import query_keys
from holdgate.core.server.context import App
from holdgate.core.server.guard import Admission, Call, PathKind, joined_headers
from holdgate.core.server.page_files import page_file
from holdgate.core.server.paths import dialect_of, is_control, is_page, resolve
from holdgate.core.server.sink import plain
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Headers

log = logging.getLogger(__name__)

# After these nobody reads the request's body: the connection ends with the refusal.
_UNREAD = frozenset(
    {FaultKind.DENIED, FaultKind.LOGIN, FaultKind.LOCKED, FaultKind.TOO_LARGE, FaultKind.SHUTDOWN}
)

_JSON = (("content-type", "application/json"),)


class Handler:
    """Serves one HTTP request after another; aiohttp calls it once for each."""

    def __init__(self, app: App) -> None:
        """Take the parts of the gateway."""
        self._app = app

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Give the reply. Raises only CancelledError, when the caller hung up."""
        headers = joined_headers(request.headers.items())
        path = request.rel_url.raw_path
        request_id = self._app.new_id()
        cors: Headers = ()
        try:
            admission = self._app.doors.guard.admit(
                self._call(request, headers, path), self._app.relay.clock.monotonic()
            )
            cors = admission.headers
            if admission.preflight:
                return plain(204, admission.headers, b"")
            return await self._serve(request, headers, path, admission, request_id)
        except Fault as fault:
            return self._refuse(fault, path, headers, request_id, cors)
        except Exception:
            log.exception("%s %s failed", request.method, path)
            broken = Fault(FaultKind.INTERNAL, "internal error; the log file says more")
            return self._refuse(broken, path, headers, request_id, cors)

    async def _serve(
        self,
        request: web.BaseRequest,
        headers: Mapping[str, str],
        path: str,
        admission: Admission,
        request_id: str,
    ) -> web.StreamResponse:
        app = self._app
        query = request.rel_url.raw_query_string
        endpoint = resolve(
            request.method,
            path,
            query,
            upgrade=headers.get("upgrade", ""),
            accept=headers.get("accept", ""),
        )
        if endpoint.kind == "health":
            return self._json(self._health(), admission)
        if endpoint.kind == "page":
            return plain(200, *page_file(path))
        if endpoint.kind == "control":
            reply = await control_api.control(app, request, headers, admission.headers)
            return reply if isinstance(reply, web.StreamResponse) else self._json(reply, admission)
        if endpoint.kind in ("models", "model"):
            return self._json(await models_api.models(app, endpoint), admission)
        if app.doors.closing:
            raise Fault(FaultKind.SHUTDOWN, "the gateway is shutting down", retry_after=5)
        return await agents_api.relay(app, request, endpoint, admission, headers, request_id)

    @staticmethod
    def _refuse(
        fault: Fault, path: str, headers: Mapping[str, str], request_id: str, cors: Headers
    ) -> web.Response:
        dialect = DIALECTS[dialect_of(path, headers)]
        told = merged(error_headers(fault, request_id), cors)
        response = plain(fault.status, told, dialect.error_body(fault, request_id))
        if fault.kind in _UNREAD:
            response.force_close()
        return response

    def _call(self, request: web.BaseRequest, headers: Mapping[str, str], path: str) -> Call:
        transport = request.transport
        if transport is None:
            raise ConnectionResetError
        peer = transport.get_extra_info("peername") or ("", 0)
        local = transport.get_extra_info("sockname") or ("", 0)
        kind: PathKind = "agents"
        if is_control(path):
            kind = "control"
        elif is_page(path, headers.get("accept", "")):
            kind = "page"
        return Call(
            str(peer[0]),
            str(local[0]),
            int(local[1]),
            "http",
            request.method,
            headers,
            query_keys(request),
            kind,
        )

    def _health(self) -> dict[str, str]:
        return {"name": "holdgate", "version": self._app.version, "status": "ok"}

    @staticmethod
    def _json(value: object, admission: Admission) -> web.Response:
        body = json.dumps(value, ensure_ascii=False).encode()
        return plain(200, _JSON + admission.headers, body)
