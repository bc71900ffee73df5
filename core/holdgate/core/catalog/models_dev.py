"""The extract: what the gateway keeps of models.dev, an open catalogue of models and their prices.

`https://models.dev/api.json` is one JSON object, by vendor: {"id", "name", "models": {ID: {"id",
"last_updated", "modalities": {"output"}, "limit": {"context", "output"}, "cost": {"input",
"output", "cache_read"}}}}; prices are US dollars for a million tokens.
It is some 5 MB; the extract is a tenth of it, one line a model, sorted, so that a diff is read.

To renew the file that is shipped: python -m holdgate.core.catalog.models_dev API_JSON ORIGIN
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from holdgate.core.catalog.vendors import VENDORS

SOURCE = "https://models.dev/api.json"
FORMAT = 1
# Fewer would be some other file, or one cut short.
_LEAST_MODELS = 100
# They turn text into something else than text, whatever their modalities say.
_NO_TEXT = re.compile(
    r"embed|rerank|whisper|moderation|(?:^|[-_/.])(?:tts|asr|bge)(?:$|[-_/.])", re.I
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")

# models.dev is under the MIT licence, which wants to be kept beside the data.
LICENCE = (
    "MIT License. Copyright (c) 2025 spin.dev. Permission is hereby granted, free of charge, to "
    "any person obtaining a copy of this software and associated documentation files (the "
    '"Software"), to deal in the Software without restriction, including without limitation the '
    "rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of "
    "the Software, and to permit persons to whom the Software is furnished to do so, subject to "
    "the following conditions: The above copyright notice and this permission notice shall be "
    'included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS '
    'IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE '
    "WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO "
    "EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER "
    "LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN "
    "CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE."
)


class _Modalities(msgspec.Struct):
    output: list[str] = []


class _Limit(msgspec.Struct):
    context: int = 0
    output: int = 0


class _Cost(msgspec.Struct):
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None


class _Model(msgspec.Struct):
    modalities: _Modalities
    limit: _Limit
    cost: _Cost | None = None
    last_updated: str = ""


class _Vendor(msgspec.Struct):
    models: dict[str, msgspec.Raw]


def extract(api: bytes, origin: str, today: str) -> bytes:
    """Give the extract of an `api.json` as the text of `models.json`, see model_facts.

    `origin` says where the file is from. Its date is that of the newest entry, `today`
    (YYYY-MM-DD) at most. Raises ValueError for a file that is no such catalogue.
    """
    try:
        found = msgspec.json.decode(api, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"it is no catalogue of models.dev ({error})") from error
    date, vendors = "", {}
    for vendor in sorted(VENDORS & found.keys()):
        models = dict(_models(found[vendor]))
        if models:
            vendors[vendor] = {id: _line(model) for id, model in sorted(models.items())}
            date = max(date, *(_dated(each, today) for each in models.values()))
    if sum(map(len, vendors.values())) < _LEAST_MODELS or not date:
        raise ValueError("it is no catalogue of models.dev: too few known models are in it")
    return _text(date, origin, vendors)


def _models(vendor: msgspec.Raw) -> Iterator[tuple[str, _Model]]:
    """Give the models that write text; an entry that cannot be read spoils no other."""
    try:
        found = msgspec.json.decode(vendor, type=_Vendor).models
    except msgspec.DecodeError:
        return
    for id, raw in found.items():
        try:
            model = msgspec.json.decode(raw, type=_Model)
        except msgspec.DecodeError:
            continue
        if (
            "text" in model.modalities.output
            and not _NO_TEXT.search(id)
            and model.limit.context > 0
        ):
            yield id, model


def _dated(model: _Model, today: str) -> str:
    return (
        model.last_updated
        if _DATE.fullmatch(model.last_updated) and model.last_updated <= today
        else ""
    )


def _line(model: _Model) -> list[object]:
    """Give [context, output, input price, output price, price of cached input]."""
    cost = model.cost or _Cost()
    prices = (cost.input, cost.output, cost.cache_read)
    return [
        model.limit.context,
        model.limit.output,
        *(None if price is None else round(price, 6) for price in prices),
    ]


def _text(date: str, origin: str, vendors: Mapping[str, Mapping[str, list[object]]]) -> bytes:
    head = {"format": FORMAT, "source": SOURCE, "origin": origin, "date": date, "licence": LICENCE}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    blocks = []
    for vendor, models in vendors.items():
        rows = [f"{json.dumps(id)}: {_compact(line)}" for id, line in models.items()]
        blocks.append(f"{json.dumps(vendor)}: {{\n" + ",\n".join(rows) + "\n}")
    return "\n".join(["{", *lines, '"vendors": {', ",\n".join(blocks), "}", "}", ""]).encode()


def _compact(line: list[object]) -> str:
    whole = [int(x) if isinstance(x, float) and x.is_integer() else x for x in line]
    return json.dumps(whole, separators=(",", ":"))


def main(arguments: list[str]) -> None:
    """Write the shipped file anew from a downloaded `api.json`. Raises ValueError and OSError."""
    api, origin = arguments
    text = extract(Path(api).read_bytes(), origin, "9999-12-31")
    Path(__file__).with_name("models.json").write_bytes(text)


if __name__ == "__main__":
    main(sys.argv[1:])
