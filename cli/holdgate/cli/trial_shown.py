"""A trial shown: what a vendor answered as a table, and what is wrong as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdgate.cli.lines import Line
from holdgate.cli.tables import Column, Row, table

if TYPE_CHECKING:
    from holdgate.core.host import Outcome, Tried

_MODELS_SHOWN = 5
_COLUMNS = (
    Column("DIALECT"), Column("MS", right=True), Column("STATUS"), Column("URL", least=20),
    Column("RESULT", least=20),
)  # fmt: skip


def results(outcome: Outcome, width: int | None) -> list[Line]:
    """Give the table of what each dialect answered; none if nobody answered at all."""
    if all(each.status is None for each in outcome.tried):
        return []
    return table(_COLUMNS, [_row(each) for each in outcome.tried], width)


def models_line(outcome: Outcome) -> str:
    """Say how many models there are, and which ones come first."""
    listed = outcome.listed
    if listed.models is None:
        return f"no list of models: {listed.reason}"
    count = len(listed.models)
    if not count:
        return "no models: its list is empty"
    first = ", ".join(listed.models[:_MODELS_SHOWN])
    more = ", ..." if count > _MODELS_SHOWN else ""
    return f"{count} model{'s' if count > 1 else ''}: {first}{more}"


def what_is_wrong(outcome: Outcome, *, has_key: bool, named_model: bool) -> str:
    """Give what kept a trial from passing in any dialect, and what to do about it."""
    from holdgate.core.host import Cause, advice, worst

    cause = worst([outcome.listed.cause, *(each.cause for each in outcome.tried)])
    reason = _reason(outcome, cause)
    if cause is Cause.KEY and not has_key:
        words = "none was given, and the vendor wants one: --key-env VAR, --key-stdin, --key-file"
        return f"no key: {words} ({reason})"
    if cause is Cause.MODEL and not named_model and not outcome.listed.models:
        words = _without_model(outcome)
    else:
        words = advice(cause)
    return f"{cause}: {words} ({reason})"


def _without_model(outcome: Outcome) -> str:
    if outcome.listed.models is None:
        return "it gives no list of its models: name one with --model ID"
    return "it has no model yet: load one there, or name one with --model ID"


def _reason(outcome: Outcome, cause: str) -> str:
    places: Sequence[tuple[str, str]] = [
        *((each.cause, each.reason) for each in outcome.tried),
        (outcome.listed.cause, outcome.listed.reason),
    ]
    return next(reason for found, reason in places if found == cause)


def _row(tried: Tried) -> Row:
    status = "no reply" if tried.status is None else f"HTTP {tried.status}"
    if tried.passed:
        result = (f"ok, {tried.model}", "done")
    elif tried.speaks == "no" and tried.status is not None:
        result = (f"not spoken: {tried.reason}", "quiet")
    else:
        result = (f"{tried.cause}: {tried.reason}", "failed")
    return (tried.dialect, str(tried.ms), status, tried.base, result)
