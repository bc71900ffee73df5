"""The page's files: three plain ones, given as they are, with headers that let nothing else in.

They hold no data: what the page shows it asks of the control API, with the token.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from holdgate.core.values.inbound import Headers

# path: file, media type
_FILES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "/": ("index.html", "text/html"),
        "/page.js": ("page.js", "text/javascript"),
        "/page.css": ("page.css", "text/css"),
    }
)
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_HEADERS: Headers = (
    ("content-security-policy", _POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    # Another version of the gateway has another page.
    ("cache-control", "no-cache"),
    # `/` is JSON for who does not ask for a page.
    ("vary", "accept"),
)


def page_file(path: str) -> tuple[Headers, bytes]:
    """Give headers and content of one of the page's files, by the path it is served at."""
    name, media = _FILES[path]
    return (("content-type", f"{media}; charset=utf-8"), *_HEADERS), _content(name)


@cache
def _content(name: str) -> bytes:
    return (files("holdgate.core.server") / "page" / name).read_bytes()
