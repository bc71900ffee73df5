"""The planner: plans that stay true until the configuration or a vendor's list changes."""

from __future__ import annotations

from holdgate.core.relay.model_lists import ModelLists
from holdgate.core.relay.roster import Current, Roster
from holdgate.core.traffic.profiles import Treatment, treatment_of
from holdgate.core.traffic.routing import Plan, Sizes, plan
from holdgate.core.values.caller import Caller
from holdgate.core.values.inbound import Task
from holdgate.core.values.names import DialectName

_MOST = 1024


class Planner:
    """Makes the plan of a model once; agents ask for the same few again and again."""

    def __init__(
        self,
        current: Current,
        lists: ModelLists,
        sizes: Sizes = lambda provider, model: (0, 0),
    ) -> None:
        """Take the settings in force, the vendors' lists, and sizes that are known elsewhere."""
        self._current, self._lists, self._sizes = current, lists, sizes
        self._plans: dict[tuple[str, DialectName, Task], Plan] = {}
        self._treatments: dict[tuple[str, str | None, str], Treatment] = {}
        self._made_for: tuple[Roster, int] | None = None

    async def plan(self, model: str, dialect: DialectName, task: Task) -> Plan:
        """Give the plan; a bare name may wait for lists. Raises Fault, see routing.plan."""
        self._refresh()
        made = self._plans.get((model, dialect, task))
        if made is None:
            await self._lists.learn(model)
            self._refresh()
            settings = self._current.roster.settings
            made = plan(settings, self._lists.known, model, dialect, task, self._sizes)
            self._plans[model, dialect, task] = made
        return made

    def treatment(self, caller: Caller, model: str) -> Treatment:
        """Give how a caller is treated."""
        self._refresh()
        key = (caller.agent, caller.key, model)
        made = self._treatments.get(key)
        if made is None:
            made = treatment_of(self._current.roster.settings, caller, model)
            self._treatments[key] = made
        return made

    def _refresh(self) -> None:
        made_for = (self._current.roster, self._lists.version)
        if (
            self._made_for is None
            or made_for[0] is not self._made_for[0]
            or (
                made_for[1] != self._made_for[1] or len(self._plans) + len(self._treatments) > _MOST
            )
        ):
            self._plans.clear()
            self._treatments.clear()
            self._made_for = made_for
