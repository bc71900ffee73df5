"""Arguments of calls as JSON text: Gemini takes an object and nothing else."""

from __future__ import annotations

import msgspec

from holdgate.core.dialects.translation.json_texts import dumps, escaped, loads, mended

_object = msgspec.json.Decoder(dict[str, msgspec.Raw])


def as_object(text: str) -> tuple[bytes, bool]:
    """Give the JSON object that stands for arguments, and whether they were one.

    What is an object stays as it was written; no text at all is no arguments.
    """
    data = mended(text.strip()).encode()
    if not data:
        return b"{}", True
    try:
        _object.decode(data)
    except (msgspec.DecodeError, RecursionError):
        pass
    else:
        # On one line, since it stands in an event's data.
        return data.translate(_SPACES) if b"\n" in data or b"\r" in data else data, True
    try:
        found = loads(text)
    except ValueError:
        return b'{"_arguments":' + escaped(text) + b"}", False
    if isinstance(found, dict):
        return dumps(found), True
    if found is None:
        return b"{}", True
    return b'{"_arguments":' + dumps(found) + b"}", False


_SPACES = bytes.maketrans(b"\r\n", b"  ")
