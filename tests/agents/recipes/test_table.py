"""What holds for every agent of the table."""

from __future__ import annotations

import pytest

from holdgate.core.agents.base import Agent, Offered
from holdgate.core.agents.recipes.table import AGENTS, find
from tests.agents.recipes.asked import HOME, OFFERED, lan_wish, machine, wish

every = pytest.mark.parametrize("agent", AGENTS.values(), ids=list(AGENTS))
SYSTEMS = ("linux", "darwin", "win32")


def test_names_are_unique_and_found() -> None:
    names = [name for each in AGENTS.values() for name in (each.name, *each.aliases)]
    assert len(set(names)) == len(names)
    for each in AGENTS.values():
        assert all(find(name) is each for name in (each.name, *each.aliases))
    assert find("nobody") is None


@every
def test_what_does_nothing_says_why(agent: Agent) -> None:
    asked = wish(agent)
    assert agent.no_run or agent.variables(asked, machine()) or agent.arguments(asked, machine())
    assert bool(agent.no_connect) != bool(agent.connect(asked, machine()))


@every
@pytest.mark.parametrize("system", SYSTEMS)
def test_files_are_below_the_home_and_made_once(agent: Agent, system: str) -> None:
    where = machine(system)
    found = [each.file for each in agent.connect(wish(agent, offered=OFFERED), where)]
    assert len(set(found)) == len(found)
    for file in (*found, *agent.traces(where)):
        assert file.is_relative_to(HOME)
        assert file != HOME


@every
def test_hundreds_of_models_are_no_hundreds_of_edits(agent: Agent) -> None:
    offered = (Offered("a-route"), *(Offered(f"relay/m{number}") for number in range(500)))
    files = agent.connect(wish(agent, offered=offered), machine())
    assert sum(len(file.edits) for file in files) < 80


@every
def test_no_path_is_set_twice_or_inside_another(agent: Agent) -> None:
    for file in agent.connect(wish(agent, offered=OFFERED), machine()):
        paths = [edit.path for edit in file.edits]
        for at, path in enumerate(paths):
            assert not any(other[: len(path)] == path for other in paths[at + 1 :])


@every
def test_a_key_is_said_only_where_it_belongs(agent: Agent) -> None:
    """No sentence and no argument holds it: arguments are seen by everybody on the machine."""
    asked = lan_wish()
    said = (agent.note, agent.source, agent.no_run, agent.no_connect)
    assert all(asked.key not in each for each in said)
    assert all(asked.key not in each for each in agent.arguments(asked, machine()))


@every
def test_it_is_said_where_the_recipe_is_from(agent: Agent) -> None:
    assert "measured with" in agent.source or "2026" in agent.source
    assert agent.title
    assert agent.programs
