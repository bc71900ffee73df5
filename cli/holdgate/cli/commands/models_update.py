"""`gateway models update`: newer sizes and prices of models, from models.dev."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path

import click

from holdgate.cli.asking import wall_time
from holdgate.cli.options import config_option, fail, places_of

_URL = "https://models.dev/api.json"


@click.command("update", epilog="Example: gateway models update --from api.json")
@click.option(
    "--from", "origin", metavar="FILE|URL", default=_URL, show_default=True,
    help="Where the catalogue is, as for a machine without a network.",
)  # fmt: skip
@config_option
def command(origin: str, config_file: Path | None) -> None:
    """Fetch the catalogue of models.dev and keep what is needed of it.

    It goes before the one that is shipped, unless it is older. What is no such catalogue changes
    nothing.
    """
    from holdgate.core.catalog.models_dev import extract
    from holdgate.core.config.masks import mask_url
    from holdgate.core.store.facts_file import FILE_NAME, FactsFile

    shown = mask_url(origin)  # it stands in the extract, too
    file = FactsFile(places_of(config_file).cache / FILE_NAME)
    today = datetime.fromtimestamp(wall_time(), UTC).date().isoformat()
    try:
        fetched = file.put(extract(_read(origin), shown, today))
        in_use = file.facts()
    except (OSError, ValueError) as error:
        fail(f"{shown}: {error}; the facts of {file.facts().date} stay in use")
    models, vendors = fetched.size(), len(fetched.vendors())
    click.echo(f"models.dev as of {fetched.date}: {models} models of {vendors} vendors")
    if in_use.date > fetched.date:
        click.echo(f"what is shipped is newer and stays in use: {in_use.date}")
    else:
        click.echo(f"kept in {file.path}")


def _read(origin: str) -> bytes:
    """Give the file. Raises OSError and ValueError."""
    if not origin.startswith(("http://", "https://")):
        return Path(origin).read_bytes()
    from holdgate.core.host import fetch_file
    from holdgate.core.values.errors import Fault

    try:
        return asyncio.run(fetch_file(origin, os.environ))
    except Fault as fault:
        raise OSError(f"{fault.message} (without a network: --from FILE)") from fault
