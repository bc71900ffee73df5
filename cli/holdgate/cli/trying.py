"""Trying: a vendor is asked before it is written down, and how that went is shown."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import click

from holdgate.cli.adding import Given, Table
from holdgate.cli.lines import printable
from holdgate.cli.options import fail, tell
from holdgate.cli.vendor_keys import GivenKey

if TYPE_CHECKING:
    from holdgate.core.catalog import Preset
    from holdgate.core.host import Outcome, Tried
    from holdgate.core.values.settings import Provider


def tested(given: Given, provider: Provider, preset: Preset | None, key: GivenKey) -> Outcome:
    """Try it and show how it went; if it failed, that ends it all."""
    from holdgate.cli.screen import Screen
    from holdgate.cli.trial_shown import models_line, results, what_is_wrong

    outcome = _outcome(given, provider, preset, key)
    Screen().show(lambda width: results(outcome, width))
    if not any(each.passed for each in outcome.tried):
        wrong = what_is_wrong(outcome, has_key=bool(key.secret), named_model=bool(given.models))
        fail(f"{given.name} is not added: {wrong}")
    tell(models_line(outcome), err=False)
    if not given.url:
        _check_spoken(given, preset, outcome)
    return outcome


def found(given: Given, outcome: Outcome) -> Table:
    """Give the URLs that were found out."""
    if not given.url:
        return {}
    return {each.dialect: each.base for each in outcome.tried if _is_found(each)}


def _outcome(given: Given, provider: Provider, preset: Preset | None, key: GivenKey) -> Outcome:
    from holdgate.core.host import try_out

    models = given.models or (preset.models if preset else None) or ()
    quiet = sys.stderr is None or not sys.stderr.isatty()

    def told(words: str) -> None:
        if not quiet:
            click.echo(printable(f"{words} ..."), err=True)

    return asyncio.run(try_out(provider, key.secret, given.url or "", models, os.environ, told))


def _is_found(tried: Tried) -> bool:
    """Tell whether a dialect is one of a bare URL's: a key that is refused there opens nothing."""
    from holdgate.core.host import Cause

    refused = (Cause.KEY, Cause.FORBIDDEN)
    return tried.passed or (tried.speaks == "yes" and tried.cause not in refused)


def _check_spoken(given: Given, preset: Preset | None, outcome: Outcome) -> None:
    """Tell of dialects that are not spoken where they should be; one that was named ends it."""
    missing = [each for each in outcome.tried if each.speaks == "no"]
    for each in missing:
        if preset is None or each.dialect in given.bases:
            fail(
                f"{given.name} is not added: {each.dialect} is not spoken at {each.base} "
                f"({each.cause}: {each.reason}); leave it out, or --no-test"
            )
    for each in missing:
        tell(f"warning: the vendor does not speak {each.dialect} now: {each.reason}")
