"""Vendors' words: what was learned of a provider, judged."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from holdgate.core.config.masks import is_reference
from holdgate.core.doctor.files import FileFact, readable
from holdgate.core.doctor.finding import Finding, fail, note, ok, warn
from holdgate.core.doctor.looking import Looked, host_of
from holdgate.core.relay.proxies import environment_proxies, is_loopback, shown_proxy
from holdgate.core.values.settings import Key, Provider

# Who looks into TLS on its way, by what their certificates call themselves (lower case).
_IN_BETWEEN: Final = (
    "zscaler", "netskope", "fortinet", "fortigate", "palo alto", "blue coat", "symantec web",
    "forcepoint", "sophos", "cisco umbrella", "cato networks", "mcafee web", "skyhigh", "barracuda",
    "kaspersky", "eset", "avast", "avg ", "bitdefender", "mitmproxy", "charles proxy", "fiddler",
    "portswigger", "proxyman",
)  # fmt: skip
_NOT_SET = "is not set"


@dataclass(frozen=True, slots=True)
class Asked:
    """One tiny request: `status` None where nothing came, `reason` "" where all is well."""

    key: str
    dialect: str
    model: str
    ms: int
    status: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Answers:
    """All of them; `by_gateway`: the running one asked, with its own environment.

    `error`: why they could not be had, or not all.
    """

    asked: tuple[Asked, ...] = ()
    by_gateway: bool = False
    error: str = ""

    def passed(self, key: str) -> bool:
        """Whether a key was good for an answer."""
        return any(each.key == key and not each.reason for each in self.asked)

    @property
    def failed(self) -> bool:
        """Whether there is no answer to any of them, and why is told."""
        reasons = [each.reason for each in self.asked]
        return bool(self.error) or (bool(reasons) and all(reasons))

    def lacks(self, key: str) -> bool:
        """Whether the gateway has no value for a key that is an environment variable."""
        return any(each.key == key and _NOT_SET in each.reason for each in self.asked)


@dataclass(frozen=True, slots=True)
class Listed:
    """A vendor's list of models; `error` says why there is none. None: it has no list."""

    names: tuple[str, ...] = ()
    error: str = ""


def key_finding(
    name: str, key: Key, missing: str, answers: Answers, file: FileFact | None
) -> tuple[Finding, ...]:
    """Judge a key: is it there, for whom, and who may read it? `missing`: why it is not."""
    label = f"key {key.name}"
    if not key.on:
        return (note(label, "it is switched off (on = false)"),)
    if not key.value:
        return (ok(label, "none is needed"),)
    if missing:
        return (_missing(label, name, key, missing, answers),)
    if answers.by_gateway and answers.lacks(key.name):
        found = f"{_place(key)}: set in this shell, but not where the gateway was started"
        todo = 'start it anew from here; for good: key = "file:PATH", which needs no environment'
        return (fail(label, found, todo),)
    exposed = [each for each in (readable(file) if file else ()) if each.state == "warn"]
    return (ok(label, _place(key)), *exposed)


def way_finding(base: str, provider: Provider, proxy: str, environ: Mapping[str, str]) -> Finding:
    """Tell whether a proxy is used, and who said so."""
    host = host_of(base)
    if proxy:
        return ok("proxy", f"{shown_proxy(proxy)} for {host}, {_who(provider, environ)}")
    if provider.proxy == "direct":
        why = 'its own proxy = "direct"'
    elif is_loopback(host):
        why = "it is on this machine"
    elif environment_proxies(environ).by_scheme:
        why = "NO_PROXY leaves it out, or no proxy is for its scheme"
    else:
        why = "no proxy is set"
    return ok("proxy", f"none for {host}: {why}")


def way_findings(name: str, looked: Looked) -> tuple[Finding, ...]:
    """Judge the name, the connection and TLS."""
    todo = f"gateway doctor {shlex.quote(name)}, once that is mended"
    if looked.no_name:
        return (fail("DNS", *_cut(looked.no_name, todo)),)
    named = ok("DNS", f"{looked.host} is {', '.join(looked.addresses[:3])}")
    # What is an address already had nothing to be looked up.
    found = (named,) if set(looked.addresses) - {looked.host} else ()
    if looked.no_way:
        return (*found, fail("connection", *_cut(looked.no_way, todo)))
    host = host_of(looked.url)
    if not looked.tls:
        plain = f"to {host}, without TLS"
        if is_loopback(host):
            return (*found, ok("connection", plain))
        todo = "use its https:// address, if it has one: the key is sent readably"
        return (*found, warn("connection", plain, todo))
    return (*found, _tls(host, looked))


def list_finding(provider: Provider, listed: Listed | None, tests: Answers) -> tuple[Finding, ...]:
    """Judge the vendor's list of models; what fails the requests, too, is theirs to tell."""
    if listed is None:
        return (note("list of models", "the vendor has none; `models` names them"),)
    if listed.error and provider.models is None and tests.failed:
        return (note("list of models", listed.error),)
    if listed.error and provider.models is None:
        return (fail("list of models", listed.error, 'name them instead: models = ["..."]'),)
    if listed.error:
        return (note("list of models", f"{listed.error}; `models` names them"),)
    count = f"{len(listed.names)} models"
    lost = [m.at_vendor for m in provider.models or () if m.at_vendor not in listed.names]
    if lost and listed.names:
        return (note("list of models", f"{count}; {', '.join(lost)} is not among them"),)
    return (ok("list of models", count),)


def request_findings(name: str, answers: Answers) -> tuple[Finding, ...]:
    """Judge the tiny requests. One dialect that fails beside others that pass is a warning."""
    found = tuple(_tested(name, each, answers.passed(each.key)) for each in _joined(answers.asked))
    if not answers.error:
        return found
    return (*found, fail("request", answers.error, f"gateway provider test {shlex.quote(name)}"))


def _joined(asked: Iterable[Asked]) -> Iterable[Asked]:
    """Give what failed for the same reason in several dialects once, with all of their names."""
    found: dict[tuple[str, ...], Asked] = {}
    for each in asked:
        same = (
            (each.key, str(each.status), each.reason) if each.reason else (each.key, each.dialect)
        )
        first = found.setdefault(same, each)
        if first is not each:
            found[same] = replace(first, dialect=f"{first.dialect}, {each.dialect}")
    return found.values()


def file_fact(key: Key, path: Path | None, mode: int | None) -> FileFact | None:
    """Give the file that holds a key, if one does."""
    return FileFact(f"key {key.name}", path, mode, True) if path else None


def _missing(label: str, name: str, key: Key, missing: str, answers: Answers) -> Finding:
    if answers.by_gateway and answers.passed(key.name):
        found = f"{_place(key)}: not set in this shell, but the running gateway has it"
        return note(label, found, "a gateway that is started here will lack it")
    why, _, todo = missing.rpartition("; ")
    return fail(label, why or missing, todo if why else f"gateway provider test {name}")


def _place(key: Key) -> str:
    scheme, _, rest = key.value.partition(":")
    if not is_reference(key.value):
        return "it stands in config.toml"
    places = {"env": "the environment variable", "file": "the file"}
    return f"{places.get(scheme.strip().lower(), 'the secret store, as')} {rest.strip()}"


def _who(provider: Provider, environ: Mapping[str, str]) -> str:
    if provider.proxy:
        return "by its own `proxy`"
    if environment_proxies(environ).by_scheme:
        return "by this shell's environment"
    return "by the system's settings"


def _tls(host: str, looked: Looked) -> Finding:
    found = f"to {host}, {looked.tls}, certificate by {looked.issuer or 'nobody named'}"
    if any(name in looked.issuer.lower() for name in _IN_BETWEEN):
        return note("connection", f"{found}: something in between reads what is sent")
    return ok("connection", found)


def _tested(name: str, test: Asked, beside: bool) -> Finding:
    label = f"request {test.dialect}"
    status = "no reply" if test.status is None else f"HTTP {test.status}"
    if not test.reason:
        return ok(label, f"{status} in {test.ms} ms, {test.model} (key {test.key})")
    found = f"{status} (key {test.key}): {' '.join(test.reason.split())}"
    todo = _todo(name, test)
    return warn(label, found, todo) if beside or test.status == 429 else fail(label, found, todo)


def _todo(name: str, test: Asked) -> str:
    again = f"gateway provider test {shlex.quote(name)}"
    match test.status:
        case 401 | 403:
            return f"put another key where this one is; then {again}"
        case 402:
            return "pay the vendor, or let another candidate of the route go first"
        case 404 | 400:
            return f"{again} --model MODEL, with one that it serves; else check its base URL"
        case 429:
            return "it is limited now; set concurrency and rpm as the vendor allows"
    return again


def _cut(sentence: str, otherwise: str) -> tuple[str, str]:
    """Cut a reason into what is so and what to do about it."""
    said, _, todo = sentence.partition("; ")
    return said, todo or otherwise


def doubts(looked: Iterable[Looked]) -> tuple[str, ...]:
    """Give the reasons among those of vendors, where a clock may be at fault."""
    return tuple(each.no_way for each in looked if "clock" in each.no_way)
