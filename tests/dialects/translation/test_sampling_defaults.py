"""Sampling that says nothing: its loss is none, that of anything else is told once."""

from __future__ import annotations

import pytest

from holdgate.core.dialects.translation.sampling_defaults import telling_losses
from holdgate.core.values.names import DialectName
from holdgate.core.values.neutral import Loss, Request, Sampling

LOST = [
    Loss(name, "not known")
    for name in ("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed")
]


def told(dialect: DialectName, sampling: Sampling) -> list[str]:
    """Give the names of what is told as lost."""
    request = Request(dialect=dialect, model="m", messages=(), sampling=sampling)
    return [loss.path for loss in telling_losses(request, [*LOST, *LOST])]


@pytest.mark.parametrize(
    ("dialect", "sampling"),
    [
        ("gemini", Sampling(temperature=1, top_p=0.95, top_k=64)),
        ("chat", Sampling(temperature=1.0, top_p=1, presence_penalty=0, frequency_penalty=0.0)),
        ("messages", Sampling(temperature=1)),
    ],
)
def test_what_vendors_do_anyway_is_no_loss(dialect: DialectName, sampling: Sampling) -> None:
    said = {name for name in sampling.__struct_fields__ if getattr(sampling, name) is not None}
    assert not said & set(told(dialect, sampling))


@pytest.mark.parametrize(
    ("dialect", "sampling", "name"),
    [
        ("gemini", Sampling(top_k=40), "top_k"),
        ("messages", Sampling(top_k=64), "top_k"),
        ("chat", Sampling(top_p=0.95), "top_p"),
        ("chat", Sampling(temperature=0), "temperature"),
        ("chat", Sampling(presence_penalty=0.5), "presence_penalty"),
        ("gemini", Sampling(seed=0), "seed"),
    ],
)
def test_what_was_chosen_is(dialect: DialectName, sampling: Sampling, name: str) -> None:
    assert told(dialect, sampling).count(name) == 1
