"""The program `gateway`: the command tree, whose commands are imported only when they are used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType

import click

# The order is that of the help; each is one file in commands/ with an object `command`.
COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "serve": "Run the gateway until Ctrl-C.",
        "status": "Say who waits, for what, and for how long.",
        "queue": "Show the requests, and with --watch how they move.",
        "explain": "Tell what happened to one request, and why.",
        "pause": "Start nothing, for a while or until resumed.",
        "resume": "End a pause.",
        "cancel": "End one request.",
        "first": "Let one waiting request overtake the others.",
        "provider": "List and test providers.",
        "keys": "Make, list and revoke gateway keys.",
        "config": "See, check and edit the configuration.",
    }
)


class LazyGroup(click.Group):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"holdgate.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands from the table: the help imports none of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"holdgate {version('holdgate')}")
        ctx.exit()


def build(*, gui: bool) -> click.Group:
    """Build the command tree; without `gui` no command ever imports tray code."""

    @click.group(
        cls=LazyGroup,
        context_settings={"help_option_names": ["-h", "--help"], "obj": {"gui": gui}},
        epilog="First steps: gateway serve --demo, then gateway config edit.",
    )
    @click.option(
        "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version,
        help="Say which version this is.",
    )  # fmt: skip
    def gateway() -> None:
        """Holdgate: your coding agents never time out because a vendor was busy."""

    return gateway


main = build(gui=True)
