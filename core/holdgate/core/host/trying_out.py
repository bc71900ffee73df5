"""Trying out a vendor before anything of it is written, for `gateway provider add`."""

from __future__ import annotations

from collections.abc import Mapping

from holdgate.core.host.errand import errand
from holdgate.core.relay.diagnosis import Cause, advice, worst
from holdgate.core.relay.trial import Listed, Outcome, Told, Trial, Tried
from holdgate.core.values.secret import Secret
from holdgate.core.values.settings import Provider

__all__ = ["Cause", "Listed", "Outcome", "Tried", "advice", "try_out", "worst"]


async def try_out(
    provider: Provider,
    key: Secret,
    url: str,
    models: tuple[str, ...],
    environ: Mapping[str, str],
    told: Told,
) -> Outcome:
    """Try the base URLs that `provider` has, or find out what the bare `url` speaks ("" for none).

    `models`: those that are known, so that no list is asked for; `told` hears what is asked next.
    """
    async with errand(environ) as on:
        trial = Trial(on.upstream, on.clock, provider, key, on.proxies(provider.proxy), told)
        return await (trial.at(url, models) if url else trial.known(models or None))
