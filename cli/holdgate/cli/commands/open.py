"""`gateway open`: the page of the running gateway, in the browser."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from holdgate.cli.asking import ask
from holdgate.cli.options import config_option

_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


@click.command("open", epilog="Example: gateway open --print")
@click.option("--print", "only_print", is_flag=True, help="Print the address, open nothing.")
@config_option
def command(only_print: bool, config_file: Path | None) -> None:
    """Open the page of the running gateway in the browser.

    The address bears the control token, which the page takes out of it at once: pass it to nobody.
    Where no browser can be opened the address is printed, as with --print.
    """
    ask(config_file, lambda client: client.get("/api/status"))  # else a page that never comes
    url = ask(config_file, lambda client: client.page_url())
    if only_print:
        click.echo(url)
    elif show_page(url, os.environ):
        click.echo("opened the page in the browser")
    else:
        click.echo("no browser can be opened here; this is the page's address:", err=True)
        click.echo(url)


def show_page(url: str, environ: Mapping[str, str]) -> bool:
    """Open an address in the browser; False where there is none that could show the page."""
    import webbrowser

    # Without a screen only browsers in the terminal are left, and those run no scripts.
    on_screen = sys.platform in ("win32", "darwin") or any(environ.get(name) for name in _SCREENS)
    try:
        return on_screen and webbrowser.open(url)
    except webbrowser.Error:
        return False
