"""Trying an agent: one tiny request to the gateway, as that agent would send it."""

from __future__ import annotations

import contextlib
import http.client
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from holdgate.core.agents.journal import Journal
from holdgate.core.client import NotRunning, Refused, connect
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.pings import other_limit
from holdgate.core.traffic.recognise import PRODUCTS, TOKEN_PREFIX
from holdgate.core.values.names import DialectName

PATIENCE = 11.0  # seconds
_GATEWAY_KEY = "hgk-"
_VERSIONED = ("chat", "responses")
_SHOWN_MOST = 300


@dataclass(frozen=True, slots=True)
class Trial:
    """Who asks what: the agent's name, its dialect, the gateway's address and the model."""

    agent: str
    dialect: DialectName
    url: str
    model: str
    journal: Journal | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came. `status` None: nothing; `words`: what is wrong, "" if nothing is.

    `recognised`: whom the gateway took the agent for; `by`: who answered; `waits`: why it still
    stands in the queue.
    """

    status: int | None
    words: str = ""
    recognised: str = ""
    by: str = ""
    waits: str = ""


def try_agent(trial: Trial, state: Path, patience: float = PATIENCE) -> Answer:
    """Ask, and look up how the gateway saw it. Blocks for `patience` seconds. Raises nothing."""
    url = urlsplit(trial.url)
    connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=patience)
    with contextlib.closing(connection):
        try:
            reply, body = _reply(connection, trial)
        except TimeoutError:
            # Asked before the request hangs up, and with that leaves the queue.
            waits = _waiting(trial, state)
            return Answer(None, f"no answer within {patience:g}s", waits=waits)
        except (OSError, http.client.HTTPException) as error:
            return Answer(None, f"the gateway cannot be reached: {error}")
    return _read(trial, reply, body, state)


def headers_of(trial: Trial) -> dict[str, str]:
    """Give the headers by which the gateway knows the agent, and its key in the usual place."""
    product = next((p for p, agent in PRODUCTS.items() if agent == trial.agent), trial.agent)
    key = next(_keys(trial.journal), f"{TOKEN_PREFIX}{trial.agent}")
    return {
        "User-Agent": f"{product}/0 (holdgate doctor)",
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Authorization": f"Bearer {key}",
        **({"anthropic-version": "2023-06-01"} if trial.dialect == "messages" else {}),
    }


def _reply(
    connection: http.client.HTTPConnection, trial: Trial
) -> tuple[http.client.HTTPResponse, bytes]:
    """Ask as any agent may; one whose model refuses the limit's name knows the other name."""
    reply, body = _asked(connection, trial, "max_tokens")
    if other := other_limit(trial.dialect, "max_tokens", reply.status, body):
        return _asked(connection, trial, other)
    return reply, body


def _asked(
    connection: http.client.HTTPConnection, trial: Trial, limit: str
) -> tuple[http.client.HTTPResponse, bytes]:
    dialect = DIALECTS[trial.dialect]
    base = f"{trial.url}/v1" if trial.dialect in _VERSIONED else trial.url
    path = urlsplit(dialect.url(base, "generate", trial.model, "whole")).path
    body = dialect.tiny_request(trial.model, limit)
    connection.request("POST", path, body, headers_of(trial))
    reply = connection.getresponse()
    return reply, reply.read()


def _read(trial: Trial, reply: http.client.HTTPResponse, body: bytes, state: Path) -> Answer:
    words = _wrong(trial.dialect, reply.status, body)
    by = f"{reply.getheader('x-holdgate-provider', '')}/{reply.getheader('x-holdgate-model', '')}"
    seen = _recorded(state, reply.getheader("x-holdgate-request") or "")
    shown = " ".join(words.split())[:_SHOWN_MOST]
    return Answer(reply.status, shown, str(seen.get("agent", "")), by.strip("/"))


def _wrong(name: DialectName, status: int, body: bytes) -> str:
    """Say what is wrong with an answer, "" if nothing is."""
    dialect = DIALECTS[name]
    try:
        if status == 200 and not dialect.whole(body).failed:
            return ""
    except ValueError:
        return "the answer is no JSON"
    return dialect.error_words(body) or "no words with it"


def _keys(journal: Journal | None) -> Iterator[str]:
    """Give what the agent's files have it send as a key."""
    edits = (edit for record in (journal.files if journal else ()) for edit in record.edits)
    return (text for edit in edits for text in edit.texts() if _is_key(text))


def _is_key(text: str) -> bool:
    return text.startswith((TOKEN_PREFIX, _GATEWAY_KEY)) and not set(text) & set("/ ")


def _recorded(state: Path, id: str) -> Mapping[str, Any]:
    if not id:
        return {}
    try:
        found: Mapping[str, Any] = connect(state).get(f"/api/requests/{quote(id, safe='')}")
    except (NotRunning, Refused):
        return {}
    return found


def _waiting(trial: Trial, state: Path) -> str:
    """Say why the request still waits, "" if it does not."""
    with contextlib.suppress(NotRunning, Refused):
        for each in connect(state).get("/api/status")["requests"]:
            if (each["agent"], each["model"]) == (trial.agent, trial.model):
                return str(each["reason"] or "") if each["state"] == "waiting" else ""
    return ""
