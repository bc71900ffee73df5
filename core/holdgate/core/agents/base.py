"""What is known of an agent: how it is found, and what points it at the gateway.

A module in `recipes/` holds one agent as a value `AGENT`. Recipes are data and plain functions of
(wish, machine): they read and write nothing, so that the same recipe serves `run`, `connect`,
`env`, a dry run and a test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from holdgate.core.editing.base import Path as ValuePath
from holdgate.core.values.names import DialectName

FormatName = Literal["json", "toml", "yaml", "dotenv"]  # json: comments and trailing commas too


@dataclass(frozen=True, slots=True)
class Machine:
    """Where agents are looked for: `system` as `sys.platform` has it, the home, the environment."""

    system: str
    home: Path
    environ: Mapping[str, str]

    def folder(self, variable: str, *default: str) -> Path:
        """Give the folder that a variable names, if that is absolute, else one below the home."""
        named = Path(self.environ.get(variable, ""))
        return named if named.is_absolute() else self.home.joinpath(*default)

    @property
    def config(self) -> Path:
        """Give the folder of settings by the XDG rules."""
        return self.folder("XDG_CONFIG_HOME", ".config")


@dataclass(frozen=True, slots=True)
class Offered:
    """A model that the gateway serves, as agents write it; tokens, 0 where not known."""

    name: str
    context: int = 0
    output: int = 0


@dataclass(frozen=True, slots=True)
class Wish:
    """What an agent is to be told.

    `url` is the gateway's address without a path and without a slash at its end; `key` the key that
    the agent is to send; `models` the model for each tier that was named, "" being the main one;
    `offered` what the gateway serves, for agents that want a list.
    """

    url: str
    key: str
    models: Mapping[str, str]
    offered: tuple[Offered, ...] = ()

    @property
    def model(self) -> str:
        """The main model, or "" where none was named."""
        return self.models.get("", "")

    def key_is_public(self, agent: str) -> bool:
        """Tell whether the key is no secret, but only the word that names the agent."""
        return self.key == f"holdgate-{agent}"

    def listed(self) -> tuple[Offered, ...]:
        """Give what is offered, the wished models first, each once."""
        known = {each.name: each for each in self.offered}
        wished = {name: known.get(name, Offered(name)) for name in self.models.values() if name}
        return tuple((wished | {k: v for k, v in known.items() if k not in wished}).values())


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            yield from (text for each in value.values() for text in _texts(each))
        case list():
            yield from (text for each in value for text in _texts(each))
        case _:
            pass


@dataclass(frozen=True, slots=True)
class Edit:
    """One value of a file.

    With `only_new` it is set only where there is no value yet. A value that is `renewed` the agent
    itself sets anew whenever it runs: whatever it became, it is ours.

    `older`: where older versions of the agent keep it. A newer one moves it from there by itself,
    and so what the person had goes to the new place when ours is taken out.
    """

    path: ValuePath
    value: object
    only_new: bool = False
    renewed: bool = False
    older: ValuePath = ()

    def texts(self) -> Iterator[str]:
        """Give all texts in its value."""
        return _texts(self.value)


@dataclass(frozen=True, slots=True)
class FileEdits:
    """What is set in one file of an agent, which may not exist yet."""

    file: Path
    format: FormatName
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent.

    `programs` are the names under which it is started, the usual one first. `tiers` are the names
    that its further models have (`-m opus=MODEL`), beside the main one. `variables` and `arguments`
    start it with nothing written; a variable given as "" is to be unset, since it would go before
    ours. Where that does not do, `no_run` says why and what does. `connect` is what its own
    configuration wants, for good; where there is no such thing `no_connect` says so. `source` tells
    where the recipe is from: measured (with the version), or a page of its documentation with the
    date.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    dialect: DialectName
    source: str
    aliases: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    needs_model: bool = True
    variables: Callable[[Wish, Machine], Mapping[str, str]] = lambda wish, machine: {}
    arguments: Callable[[Wish, Machine], tuple[str, ...]] = lambda wish, machine: ()
    connect: Callable[[Wish, Machine], tuple[FileEdits, ...]] = lambda wish, machine: ()
    # Where it is found without a program on the PATH: a folder that it makes.
    traces: Callable[[Machine], tuple[Path, ...]] = lambda machine: ()
    # Whether NO_PROXY keeps it from asking a proxy of its environment for the gateway.
    heeds_no_proxy: bool = True
    no_run: str = ""
    no_connect: str = ""
    # A sentence that `connect` and `env` tell: what the person must still do, or should know.
    note: str = ""
