"""Wired agents: do their files still lead here, and is each of them answered as itself?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from holdgate.core.agents.base import Agent
from holdgate.core.agents.choosing import is_known
from holdgate.core.agents.finding import Sighting, sight
from holdgate.core.agents.recipes.table import AGENTS
from holdgate.core.agents.wiring import Wiring
from holdgate.core.doctor.aside import aside
from holdgate.core.doctor.finding import Finding, fail, note, ok, warn
from holdgate.core.doctor.scene import Scene
from holdgate.core.doctor.trying_agent import PATIENCE, Answer, Trial, try_agent
from holdgate.core.doctor.variables import points_here, rivals, variables_of
from holdgate.core.editing.table import EDITORS
from holdgate.core.values.settings import Settings

How = Literal["files", "environment", "no"]


@dataclass(frozen=True, slots=True)
class Wire:
    """An agent of this machine, and how it is pointed at the gateway."""

    seen: Sighting
    how: How

    @property
    def agent(self) -> Agent:
        """The agent."""
        return self.seen.agent


def find_wires(scene: Scene, url: str) -> tuple[Wire, ...]:
    """Look for all agents of this machine; `url` is the running gateway's, "" if none runs."""
    wiring = Wiring(scene.places.state, EDITORS)
    seen = (sight(each, scene.machine, wiring, EDITORS, url) for each in AGENTS.values())
    return tuple(Wire(each, _how(each, scene, url)) for each in seen if each.is_here)


def unwired(wires: tuple[Wire, ...]) -> tuple[Finding, ...]:
    """Tell which agents are here and do not ask the gateway."""
    names = [each.agent.name for each in wires if each.how == "no"]
    if not names:
        return ()
    todo = f"gateway run {names[0]} once, or gateway connect {names[0]} for good"
    return (note("not wired", ", ".join(names), todo),)


async def examine_agent(
    scene: Scene, settings: Settings | None, wire: Wire, url: str
) -> tuple[Finding, ...]:
    """Look at one agent that is wired, and ask the gateway as it would."""
    found = [_files(wire), *_astray(scene, wire, url), *_models(settings, wire)]
    if wire.seen.wired.state in ("half", "unclear"):
        return tuple(found)
    if wire.seen.journal and wire.seen.journal.remote:
        return (*found, note("request", f"{wire.seen.journal.url} is not asked from here"))
    if not url:
        return (*found, warn("request", "no gateway is running to answer it", "gateway serve"))
    if scene.offline:
        return (*found, note("request", "not asked (--offline)"))
    trial = _trial(scene, wire, url)
    if not trial.model:
        return (*found, note("request", "it names no model of its own, so nothing was asked"))
    answer = await aside(lambda: try_agent(trial, scene.places.state), PATIENCE + 5)
    return (*found, judged(trial, answer))


def judged(trial: Trial, answer: Answer) -> Finding:
    """Judge the answer that an agent got."""
    name, asked = trial.agent, f"{trial.model} in {trial.dialect}"
    again = f"gateway doctor {name}"
    if answer.waits:
        todo = "gateway queue; an agent's stream is kept alive meanwhile"
        return note("request", f"it waits in the queue: {answer.waits}", todo)
    if answer.status is None:
        return fail("request", f"{asked}: {answer.words}", "gateway queue, gateway status")
    if answer.status != 200 or answer.words:
        todo = (
            f"gateway connect {name} -m MODEL, with one that is served"
            if answer.status in (400, 404) else f"mend the provider as told above; then {again}"
        )  # fmt: skip
        return fail("request", f"{asked}: HTTP {answer.status}: {answer.words}", todo)
    if answer.recognised not in ("", name):
        found = f"{asked}: answered, but it is taken for {answer.recognised}"
        return warn("request", found, f"gateway connect {name}")
    return ok("request", f"{asked}: answered by {answer.by or 'a vendor'}, known as {name}")


def _files(wire: Wire) -> Finding:
    name, wired, journal = wire.agent.name, wire.seen.wired, wire.seen.journal
    if wire.how == "environment":
        return ok("wiring", "this shell's environment leads to the gateway")
    mend = f"gateway connect {name}; or back: gateway disconnect {name}"
    match wired.state:
        case "wired":
            files = ", ".join(str(each.file) for each in journal.files) if journal else ""
            return ok("wiring", f"{files} leads to {journal.url if journal else ''}")
        case "half":
            return fail("wiring", wired.note, f"gateway disconnect {name} puts its files back")
        case "stale":
            return fail("wiring", wired.note, mend)
        case "drifted":
            return warn("wiring", wired.note, mend)
    return fail("wiring", wired.note or wired.state, "mend that file, then: gateway agents")


def _astray(scene: Scene, wire: Wire, url: str) -> tuple[Finding, ...]:
    told = url or (wire.seen.journal.url if wire.seen.journal else "")
    return rivals(wire.agent, scene.machine, told, _set_by_files(wire)) if told else ()


def _models(settings: Settings | None, wire: Wire) -> Iterator[Finding]:
    if settings is None or not settings.providers or wire.seen.journal is None:
        return
    for tier, model in wire.seen.journal.models.items():
        if not is_known(settings, model):
            todo = f"gateway connect {wire.agent.name} -m MODEL; gateway config check tells names"
            yield warn(f"model {tier}".strip(), f"{model} is nothing that the gateway serves", todo)


def _set_by_files(wire: Wire) -> Iterator[str]:
    """Give the names that stand in the agent's own files, as an `env` table has them."""
    for record in wire.seen.journal.files if wire.seen.journal else ():
        yield from (str(edit.path[-1]) for edit in record.edits if edit.path)


def _trial(scene: Scene, wire: Wire, url: str) -> Trial:
    names, environ = variables_of(wire.agent, scene.machine), scene.environ
    if wire.seen.journal:
        models = wire.seen.journal.models
        model = models.get("") or next(iter(models.values()), "")
    else:
        model = next((environ[name] for name in names.model if environ.get(name)), "")
    return Trial(wire.agent.name, wire.agent.dialect, url, model, wire.seen.journal)


def _how(seen: Sighting, scene: Scene, url: str) -> How:
    if seen.wired.state != "not wired":
        return "files"
    return "environment" if points_here(seen.agent, scene.machine, url) else "no"
