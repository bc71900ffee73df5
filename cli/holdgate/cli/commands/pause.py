"""`gateway pause`: start nothing for a while."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from holdgate.cli.asking import ask
from holdgate.cli.options import config_option, echo_json, json_option


class _Duration(click.ParamType[float]):
    """A duration as in config.toml, in seconds."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        from holdgate.core.values.kinds import DURATION, WrongValue

        try:
            return float(DURATION.parse(value))
        except WrongValue as error:
            self.fail(f"{value!r} is no duration; allowed: {error}", param, ctx)


@click.command("pause", epilog="Example: gateway pause --provider deepseek --for 30m")
@click.option("--provider", metavar="NAME", help="Pause only this provider.")
@click.option("--for", "seconds", type=_Duration(), help="End by itself, such as after 30m.")
@config_option
@json_option
def command(
    provider: str | None, seconds: float | None, config_file: Path | None, as_json: bool
) -> None:
    """Let no request start, until `gateway resume`.

    Those that wait are kept alive, those that are being answered go on.

    JSON: {"paused": null | {"until", "why"}, "lanes": [{"provider", "key", "paused"}]}; `paused` is
    the pause of all, until (Unix seconds) is null if only resume ends it.
    """
    body = {"provider": provider, "for": seconds}
    done = ask(config_file, lambda client: client.post("/api/pause", body))
    if as_json:
        echo_json(done)
        return
    name = f" --provider {provider}" if provider else ""
    click.echo(f"paused {provider or 'all'}{_end(done, seconds)}; gateway resume{name} ends it")


def _end(done: dict[str, Any], seconds: float | None) -> str:
    if not seconds:
        return " until resumed"
    if done["paused"] and done["paused"]["until"]:
        return f" until {datetime.fromtimestamp(done['paused']['until']):%H:%M:%S}"
    from holdgate.cli.tables import in_seconds

    return f" for {in_seconds(seconds)}"
