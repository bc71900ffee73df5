"""The host: the thread that a gateway lives in, from its start to its end."""

from holdgate.core.host.gateway import Gateway, Options, PortInUse
from holdgate.core.host.listing import Unlisted, ask_lists, fetch_file
from holdgate.core.host.probing import Probed, probe_provider, well_keys

__all__ = [
    "Gateway",
    "Options",
    "PortInUse",
    "Probed",
    "Unlisted",
    "ask_lists",
    "fetch_file",
    "probe_provider",
    "well_keys",
]
