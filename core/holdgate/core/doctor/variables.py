"""Variables: what in this shell's environment would send agents, or requests, elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from holdgate.core.agents.base import Agent, Machine, Wish
from holdgate.core.doctor.finding import Finding, ok, warn
from holdgate.core.relay.proxies import environment_proxies, is_loopback, shown_proxy

_LOOPBACKS = ("127.0.0.1", "localhost")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
_MARK: Final = "holdgate-doctor-mark"
_MARKED = Wish(f"http://{_MARK}.invalid", f"{_MARK}-key", {"": f"{_MARK}-model"})


@dataclass(frozen=True, slots=True)
class Variables:
    """The names of an agent's variables: for the address, the key, the model, and its rivals.

    Rivals are those that its recipe has unset: they would go before ours.
    """

    address: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()


def variables_of(agent: Agent, machine: Machine) -> Variables:
    """Read them off the agent's recipe."""
    found = agent.variables(_MARKED, machine)
    return Variables(
        tuple(name for name, value in found.items() if value.startswith(_MARKED.url)),
        tuple(name for name, value in found.items() if value == _MARKED.key),
        tuple(name for name, value in found.items() if value == _MARKED.model),
        tuple(name for name, value in found.items() if not value),
    )


def examine_proxies(environ: Mapping[str, str], port: int) -> tuple[Finding, ...]:
    """Judge the proxies of the environment: they must not be between agents and the gateway."""
    proxies = environment_proxies(environ)
    if not proxies.by_scheme:
        return (ok("proxies", "the environment names none"),)
    named = ", ".join(
        f"{name}={shown_proxy(environ[name])}"
        for name in sorted(environ)
        if name.lower() in _PROXIES[:3] and environ[name]
    )
    caught = [host for host in _LOOPBACKS if not proxies.bypasses(host, port)]
    if not caught:
        return (ok("proxies", f"{named}; NO_PROXY leaves this machine out"),)
    before = next((environ[n] for n in ("no_proxy", "NO_PROXY") if environ.get(n)), "")
    names = ",".join([*([before.strip(", ")] if before else []), *caught])
    found = f"{named}: agents would send what is for the gateway to that proxy instead"
    return (warn("proxies", found, f"export NO_PROXY={names} no_proxy={names}"),)


def origin_of(text: str) -> tuple[str, int] | None:
    """Give host and port of an address, loopback by one name; None for what is no address."""
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return None
    host = parts.hostname or ""
    return ("127.0.0.1" if is_loopback(host) else host, port) if host else None


def points_here(agent: Agent, machine: Machine, url: str) -> bool:
    """Tell whether this shell's environment sends an agent to the gateway at `url`."""
    here = origin_of(url)
    names = variables_of(agent, machine).address
    told = [origin_of(value) for name in names if (value := machine.environ.get(name))]
    return bool(url) and here in told


def examine_addresses(
    agents: Iterable[Agent], machine: Machine, url: str, ports: Iterable[int]
) -> tuple[Finding, ...]:
    """Judge the variables that lead to where a gateway of ours should be, and is not.

    `url` is the running gateway's, "" if none runs; `ports` are those that it may be expected at.
    """
    told = {
        name: machine.environ.get(name, "")
        for agent in agents
        for name in variables_of(agent, machine).address
    }
    expected = {("127.0.0.1", port) for port in ports} - {origin_of(url)}
    return tuple(
        _elsewhere(name, value, url) for name, value in told.items() if origin_of(value) in expected
    )


def rivals(agent: Agent, machine: Machine, url: str, ours: Iterable[str]) -> tuple[Finding, ...]:
    """Judge the variables that may lead a wired agent astray; `ours`: names that its files set."""
    environ, found, ours = machine.environ, variables_of(agent, machine), set(ours)
    here = origin_of(url)
    set_to = {name: environ[name] for name in found.address if environ.get(name)}
    away = {n: v for n, v in set_to.items() if origin_of(v) != here and n not in ours}
    beside = [n for n in found.rivals if environ.get(n) and n not in ours]
    return (
        *(_astray(agent, name, value) for name, value in away.items()),
        *(_beside(agent, name) for name in beside),
    )


def _elsewhere(name: str, value: str, url: str) -> Finding:
    at = origin_of(value) or ("", 0)
    where = f"{name} leads to {at[0]}:{at[1]}"
    if not url:
        return warn("environment", f"{where}, where no gateway is running", "gateway serve")
    found = f"{where}, but the gateway is at {url}"
    return warn("environment", found, "let gateway env AGENT print that line anew")


def _astray(agent: Agent, name: str, value: str) -> Finding:
    at = origin_of(value)
    where = f"{at[0]}:{at[1]}" if at else "what is no address"
    found = f"{name} in this shell may send {agent.title} to {where}"
    return warn("environment", found, f"unset {name}, also in your shell's profile")


def _beside(agent: Agent, name: str) -> Finding:
    found = f"{name} is set in this shell: {agent.title} may use it instead of the gateway"
    return warn("environment", found, f"unset {name}, also in your shell's profile")
