"""Gateways: which one an agent is pointed at: this machine's, or one that the person named."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from holdgate.cli.options import WRONG_CONFIGURATION, fail

if TYPE_CHECKING:
    from holdgate.core.config.places import Places
    from holdgate.core.values.secret import Secret
    from holdgate.core.values.settings import Settings

# What stands in a host and its port; the rest is a slip, or would act on a shell or a file.
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9A-Fa-f:.%\w]+\])(?::\d+)?")
_SUFFIXES = ("/v1", "/v1beta")


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway as agents reach it: its address, and the key that it wants, if that is a real one.

    `remote`: the person named its address. `runs`: it answered just now; of a remote one that is
    not known yet.
    """

    url: str
    key: Secret | None
    remote: bool
    runs: bool

    def key_for(self, agent: str) -> str:
        """Give what an agent shows: the key, or a token that only says who it is."""
        return self.key.reveal() if self.key else f"holdgate-{agent}"


def gateway_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--url URL`, `--key-env VAR` and `--key-stdin`, passed as url, key_env, key_stdin."""
    for option in (
        click.option("--key-stdin", is_flag=True, help="Read that gateway's key from stdin."),
        click.option("--key-env", metavar="VAR", help="Take that gateway's key from a variable."),
        click.option("--url", metavar="URL", help="A gateway elsewhere, not this machine's."),
    ):
        command = option(command)
    return command


def gateway_of(
    places: Places, settings: Settings, url: str | None, key_env: str | None, key_stdin: bool
) -> Gateway:
    """Give the gateway that the options name; the program ends where they make no sense."""
    key = _key(key_env, key_stdin)
    if url:
        return Gateway(_checked(url), key, remote=True, runs=False)
    running = running_url(places)
    found = running or configured_url(settings)
    if not found:
        fail("the configuration takes any free port, and no gateway runs; start it: gateway serve")
    return Gateway(found, key, remote=False, runs=bool(running))


def running_url(places: Places) -> str:
    """Give the address of this machine's gateway, "" if none runs."""
    from holdgate.core.client import NotRunning, Refused, greets
    from holdgate.core.store.instance import read_runtime

    runtime = read_runtime(places.state)
    try:
        return runtime.url if runtime and greets(runtime.url) else ""
    except (NotRunning, Refused):
        return ""


def configured_url(settings: Settings) -> str:
    """Give the address at which this machine's gateway would listen; "" for any free port."""
    from holdgate.core.values.addresses import shown_host

    server = settings.server
    return f"http://{shown_host(server.host)}:{server.port}" if server.port else ""


def why_unreachable(gateway: Gateway) -> str:
    """Say why an agent would reach no gateway, "" if it would."""
    from holdgate.core.client import NotRunning, Refused, greets

    if not gateway.remote:
        return "" if gateway.runs else "no gateway is running; start it with: gateway serve"
    try:
        ours = greets(gateway.url, gateway.key_for("check"), patience=5.0)
    except NotRunning:
        return f"no gateway answers at {gateway.url}; is it served with --lan, and the port right?"
    except Refused as error:
        return (
            f"the gateway at {gateway.url} refused this: {error}; make a key there (gateway keys "
            "add NAME), and give it by --key-env VAR or --key-stdin"
        )
    return "" if ours else f"what answers at {gateway.url} is no Holdgate"


def served_models(gateway: Gateway) -> tuple[str, ...]:
    """Give what a gateway says that it serves, routes first; nothing where it does not say."""
    from holdgate.core.client import NotRunning, Refused, ask_as_agent

    try:
        found = ask_as_agent(gateway.url, "/v1/models", gateway.key_for("check"), patience=5.0)
        return tuple(str(each["id"]) for each in found["data"])
    except (NotRunning, Refused, KeyError, TypeError):
        return ()


def _key(key_env: str | None, key_stdin: bool) -> Secret | None:
    from holdgate.core.values.secret import Secret

    if key_env and key_stdin:
        fail("--key-env and --key-stdin: give one of them", WRONG_CONFIGURATION)
    if key_env:
        text = os.environ.get(key_env, "").strip()
        if not text:
            fail(f"--key-env: the variable {key_env} is not set", WRONG_CONFIGURATION)
        return Secret(text)
    if key_stdin:
        text = sys.stdin.readline().strip()
        if not text:
            fail("--key-stdin: no key came", WRONG_CONFIGURATION)
        return Secret(text)
    return None


def _checked(url: str) -> str:
    """Give an address without what agents put behind it themselves."""
    text = url.strip().rstrip("/")
    for suffix in _SUFFIXES:
        text = text.removesuffix(suffix)
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        good = good and bool(_HOST.fullmatch(parts.netloc))
    except ValueError:
        good = False
    if (
        not good
        or not text.isprintable()
        or parts.path
        or parts.query
        or parts.fragment
        or "@" in parts.netloc
    ):
        fail(
            "--url: a gateway's address is such as http://192.168.1.20:4653, with nothing behind",
            WRONG_CONFIGURATION,
        )
    return text
