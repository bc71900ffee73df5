"""Duration: an option that takes one as config.toml does."""

from __future__ import annotations

from typing import Any

import click


class Duration(click.ParamType[float]):
    """A duration such as `30m`, in seconds."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Give seconds; a wrong one is a wrong usage."""
        from holdgate.core.values.kinds import DURATION, WrongValue

        try:
            return float(DURATION.parse(value))
        except WrongValue as error:
            self.fail(f"{value!r} is no duration; allowed: {error}", param, ctx)
