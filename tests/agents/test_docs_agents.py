"""docs/agents.md names every agent, and what is written for it where."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.agents.base import Agent, Machine, Wish
from holdgate.core.agents.recipes.table import AGENTS

PAGE = Path(__file__).parents[2] / "docs/agents.md"
HOME = Path("/home/me")
MACHINE = Machine("linux", HOME, {})
WISH = Wish("http://127.0.0.1:4653", "key", {"": "coder"})


def row(agent: Agent) -> str:
    names = " ".join(f"`{name}`" for name in (agent.name, *agent.aliases))
    files = [f"`~/{e.file.relative_to(HOME)}`" for e in agent.connect(WISH, MACHINE)]
    cells = (
        names, agent.title, " ".join(f"`{name}`" for name in agent.programs), agent.dialect,
        "no" if agent.no_run else "yes", ", ".join(files) or "no",
        " ".join(f"`{tier}`" for tier in agent.tiers),
    )  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def test_the_page_tells_of_every_agent_as_it_is() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Which agents")[2].partition("\n## ")[0]
    told = [line for line in section.splitlines() if line[:3] == "| `"]
    assert told == [row(agent) for agent in AGENTS.values()]
