"""The host: the thread that a gateway lives in, from its start to its end."""

from holdgate.core.host.gateway import Gateway, Options, PortInUse
from holdgate.core.host.listing import Unlisted, ask_lists, fetch_file
from holdgate.core.host.probing import Probed, probe_provider, well_keys
from holdgate.core.host.trying_out import (
    Cause,
    Listed,
    Outcome,
    Tried,
    advice,
    try_out,
    worst,
)

__all__ = [
    "Cause",
    "Gateway",
    "Listed",
    "Options",
    "Outcome",
    "PortInUse",
    "Probed",
    "Tried",
    "Unlisted",
    "advice",
    "ask_lists",
    "fetch_file",
    "probe_provider",
    "try_out",
    "well_keys",
    "worst",
]
