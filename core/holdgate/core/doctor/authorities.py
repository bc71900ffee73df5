"""Authorities: the files of certificates that the environment names must be of use."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping

from holdgate.core.doctor.finding import Finding, warn
from holdgate.core.relay.trust import VARIABLES, why_not_loaded


def examine_authorities(environ: Mapping[str, str]) -> tuple[Finding, ...]:
    """Look at each file or folder of authorities that is named; nothing is said of good ones."""
    named = ((name, environ.get(name, "")) for name in VARIABLES)
    return tuple(
        warn(
            name,
            f"{name} is left out: it {why}",
            f"unset {name}, or let it name a PEM file; other programs read it, too",
        )
        for name, place in named
        if place and (why := why_of_no_use(place))
    )


def why_of_no_use(place: str) -> str:
    """Say why certificates cannot be loaded from a place, "" if they can."""
    if os.path.isdir(place):
        return ""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=place)
    except OSError as error:  # ssl's errors are some
        return why_not_loaded(place, error)
    return ""
