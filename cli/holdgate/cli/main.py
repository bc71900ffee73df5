"""The program `gateway`: the command tree, whose commands are imported only when they are used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

INTERRUPTED = 130

# The order is that of the help; each is one file in commands/ with an object `command`.
COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "serve": "Run the gateway until Ctrl-C.",
        "tray": "Show a tray icon for the gateway that runs.",
        "open": "Open the page in the browser.",
        "status": "Say who waits, for what, and for how long.",
        "queue": "Show the requests, and with --watch how they move.",
        "explain": "Tell what happened to one request, and why.",
        "pause": "Start nothing, for a while or until resumed.",
        "resume": "End a pause.",
        "cancel": "End one request.",
        "first": "Let one waiting request overtake the others.",
        "provider": "Add, list, test, change and remove providers.",
        "route": "Add, list and remove routes.",
        "presets": "Show the vendors that are known by name.",
        "models": "List what agents may ask for, with sizes and prices.",
        "agents": "Show the agents on this machine, and which ask the gateway.",
        "run": "Start an agent that asks the gateway.",
        "connect": "Let an agent's own configuration ask the gateway.",
        "disconnect": "Undo that.",
        "env": "Print the variables that point a program at the gateway.",
        "keys": "Make, list and revoke gateway keys.",
        "usage": "Sum up requests and tokens.",
        "config": "See, check and edit the configuration.",
        "doctor": "Say what does not work, and what to do.",
        "autostart": "Start at login, or no longer.",
        "completion": "Print what lets a shell complete commands and names.",
    }
)


# What `gateway-nogui` does not have.
ON_SCREEN = frozenset({"tray"})


class LazyGroup(click.Group):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names in the order of the help."""
        return [name for name in COMMANDS if _is_there(ctx, name)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS or not _is_there(ctx, cmd_name):
            return None
        module = importlib.import_module(f"holdgate.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands from the table: the help imports none of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Offer the commands from the table: importing all of them would be slow."""
        from click.shell_completion import CompletionItem

        offered = [
            CompletionItem(name, help=COMMANDS[name])
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        return [*offered, *click.Command.shell_complete(self, ctx, incomplete)]

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program; whatever it says, stdout takes it."""
        from holdgate.cli.screen import forgive_encoding

        forgive_encoding(sys.stdout, sys.stderr)
        return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; Ctrl-C ends it with the exit code that shells give."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(INTERRUPTED) from None


def _is_there(ctx: click.Context, name: str) -> bool:
    return name not in ON_SCREEN or bool((ctx.obj or {"gui": True})["gui"])


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
        epilog="First steps: gateway provider add NAME, gateway serve, gateway run AGENT; "
        "without a key: gateway serve --demo.",
    )
    @click.option(
        "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version,
        help="Say which version this is.",
    )  # fmt: skip
    def gateway() -> None:
        """Holdgate: your coding agents never time out because a vendor was busy."""

    return gateway


main = build(gui=True)
