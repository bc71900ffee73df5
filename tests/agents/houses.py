"""Houses for agents: a home of real files, three made-up agents, and a disk that crashes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish
from holdgate.core.agents.disk import RealDisk
from holdgate.core.agents.wiring import Wiring
from holdgate.core.editing.base import Item
from holdgate.core.editing.table import EDITORS

URL = "http://127.0.0.1:4653"


def wish(model: str = "coder", url: str = URL, agent: str = "x") -> Wish:
    """Give a wish as the commands make it."""
    offered = (Offered("coder", 200_000, 8_000), Offered("deepseek/deepseek-chat"))
    return Wish(url, f"holdgate-{agent}", {"": model} if model else {}, offered)


def _json(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    home = machine.folder("JAY_HOME", ".jay")
    main = (
        Edit(("env", "BASE"), wish.url),
        Edit(("env", "TOKEN"), wish.key),
        Edit(("provider", "holdgate"), {"url": wish.url, "models": {wish.model: {"n": 1}}}),
    )
    return (
        FileEdits(home / "settings.json", "json", main),
        FileEdits(home / "deep" / "auth.json", "json", (Edit(("kind",), "key"),)),
    )


def _toml(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    edits = (
        Edit(("model_provider",), "holdgate"),
        Edit(("model",), wish.model),
        Edit(("model_providers", "holdgate"), {"name": "Holdgate", "base_url": wish.url}),
    )
    return (FileEdits(machine.folder("TEE_HOME", ".tee") / "config.toml", "toml", edits),)


def _yaml(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    model = {"name": "Holdgate", "apiBase": wish.url, "model": wish.model}
    edits = (Edit(("models", Item("name", "Holdgate")), model), Edit(("default",), wish.model))
    return (FileEdits(machine.config / "why" / "config.yaml", "yaml", edits),)


JAY = Agent(
    "jay", "Jay", ("jay",), "chat", "made up", aliases=("j",), tiers=("small",), connect=_json,
    variables=lambda wish, machine: {"JAY_URL": wish.url, "JAY_OLD": ""},
    arguments=lambda wish, machine: ("--model", wish.model),
    traces=lambda machine: (machine.folder("JAY_HOME", ".jay"),),
)  # fmt: skip
TEE = Agent("tee", "Tee", ("tee-dev", "tee"), "responses", "made up", connect=_toml)
WHY = Agent("why", "Why", ("why",), "chat", "made up", connect=_yaml)
MADE_UP = (JAY, TEE, WHY)


class Crash(BaseException):
    """The program is gone: nothing catches this."""


@dataclass(slots=True)
class CrashingDisk(RealDisk):
    """A disk at whose change number `at`, counted from 0, the program is gone.

    With `torn` it is gone in the middle of a write.
    """

    at: int = -1
    count: int = field(default=0)
    torn: bool = False

    def write(self, file: Path, text: str) -> None:
        if self.torn and self.count == self.at:
            target = file.resolve()
            target.parent.mkdir(parents=True, exist_ok=True)
            unfinished = target.with_name(f".{target.name}.a1b2c3d4.holdgate")
            unfinished.write_text(text, encoding="utf-8")
        self._step()
        RealDisk.write(self, file, text)

    def remove(self, file: Path) -> None:
        self._step()
        RealDisk.remove(self, file)

    def drop(self, folder: Path) -> None:
        self._step()
        RealDisk.drop(self, folder)

    def _step(self) -> None:
        if self.count == self.at:
            raise Crash
        self.count += 1


@dataclass(frozen=True, slots=True)
class House:
    """A home below a folder, and the state folder of a gateway beside it."""

    root: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def machine(self) -> Machine:
        return Machine("linux", self.home, self.environ)

    def wiring(self, disk: RealDisk | None = None) -> Wiring:
        return Wiring(self.root / "state", EDITORS, disk)

    def put(self, name: str, text: str) -> Path:
        file = self.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return file

    def files_of(self, agent: Agent) -> tuple[Path, ...]:
        return tuple(each.file for each in agent.connect(wish(), self.machine))

    def seen(self) -> dict[str, tuple[bytes | str | None, int]]:
        """Give all below the home: bytes of files, targets of links, None for others; modes."""
        return {
            path.relative_to(self.root).as_posix(): (_content(path), path.lstat().st_mode)
            for path in sorted(self.home.rglob("*"))
        }


def _content(path: Path) -> bytes | str | None:
    if path.is_symlink():
        return os.readlink(path)
    return path.read_bytes() if path.is_file() else None


def crashes(attempt: Callable[[int], None]) -> int:
    """Attempt with a crash at change 0, 1, 2 and so on, until none comes; give how many came."""
    for at in range(100):
        try:
            attempt(at)
        except Crash:
            continue
        return at
    raise AssertionError("it never ends")
