"""What the data of an image or document is, by its first bytes: labels are often wrong."""

from __future__ import annotations

from base64 import b64decode

# The base64 of the first bytes of each kind.
_BEGINNINGS = (
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi", "application/pdf"),
)
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
PDF = "application/pdf"


def media_type_of(data: str, said: str) -> str:
    """Give what base64 data is, else what is said of it."""
    found = next((kind for beginning, kind in _BEGINNINGS if data.startswith(beginning)), "")
    return found or said.partition(";")[0].strip().lower()


def is_text(media_type: str) -> bool:
    """Tell whether a document of this type can be told as text."""
    kind = media_type.partition(";")[0].strip().lower()
    return kind.startswith("text/") or kind in ("application/json", "application/xml")


def text_in(data: str) -> str:
    """Give the text in base64 data; "" if there is none."""
    try:
        return b64decode(data).decode("utf-8-sig", "replace")
    except ValueError:
        return ""
