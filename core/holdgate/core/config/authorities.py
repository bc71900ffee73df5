"""The files that providers name as `ca`, looked at: each must hold certificates."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.config.problems import Report
from holdgate.core.values.settings import Settings


def check_authorities(report: Report, settings: Settings) -> None:
    """Report each `ca` that is of no use."""
    for provider in settings.providers.values():
        if provider.ca and (why := _why_none(provider.ca)):
            report.says(("providers", provider.name, "ca"), f"{provider.ca}: {why}")


def _why_none(written: str) -> str:
    import ssl  # only where it is needed: commands must start quickly

    try:
        file = Path(written).expanduser()
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=file)
    except ssl.SSLError:
        return "holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)"
    except (OSError, ValueError, RuntimeError) as error:
        return f"cannot be read: {getattr(error, 'strerror', None) or error}"
    return ""
