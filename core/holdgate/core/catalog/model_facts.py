"""Facts of models: how much fits in, how long a reply may be, what it costs, by models.dev.

`models.json` beside this module is the extract that `models_dev` makes: {"format", "source",
"origin", "date", "licence", "vendors": {VENDOR: {ID: [context, output, price in, price out, price
of cached input]}}}. It is read when first needed, and of it only the vendors asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import msgspec

from holdgate.core.catalog.models_dev import FORMAT
from holdgate.core.catalog.vendors import MAKERS, is_unknowable, vendor_of

FILE_NAME = "models.json"
# What vendors put before and behind a model's id.
_REGION = re.compile(r"(?:us-gov|global|apac|us|eu|jp|au|ca)\.(?=[a-z0-9-]+\.)")
_DATE = re.compile(r"[-@](?:\d{8}|\d{4}-\d\d-\d\d)$")
_LATEST = re.compile(r"[-@:]latest$")
_VARIANT = re.compile(r":[a-z-]+$")


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model: tokens (0: not known), and US dollars for a million tokens.

    A price of None is not known; 0 is free, or in a plan that is paid by the month.
    """

    context: int
    output: int
    price_in: float | None = None
    price_out: float | None = None
    price_cached: float | None = None

    def without_prices(self) -> ModelFacts:
        """Give the same of somebody who may ask another price."""
        return replace(self, price_in=None, price_out=None, price_cached=None)


class _Line(msgspec.Struct, array_like=True, frozen=True):
    context: int
    output: int
    price_in: float | None
    price_out: float | None
    price_cached: float | None

    def facts(self) -> ModelFacts:
        return ModelFacts(
            self.context, self.output, self.price_in, self.price_out, self.price_cached
        )


class _File(msgspec.Struct):
    format: int
    date: str
    origin: str
    vendors: dict[str, msgspec.Raw]


class Facts:
    """An extract, looked up by preset and model. `date`: YYYY-MM-DD, of its newest entry."""

    def __init__(self, file: _File) -> None:
        """Take the extract as it was read; see `read_facts`."""
        self.date, self.origin = file.date, file.origin
        self._raw: Mapping[str, msgspec.Raw] = file.vendors
        self._read: dict[str, Mapping[str, _Line]] = {}

    def of(self, preset: str, model: str) -> ModelFacts | None:
        """Give the facts of the model that a vendor calls `model`, or None. `preset` may be "".

        1. The vendor's very id, also behind `models/`, with `-latest` or without it, and behind
           its maker's name where the vendor writes none.
        2. The id without a date, a region or a variant behind a colon: the same model, but
           perhaps another price, of which nothing is said then.
        3. Of a vendor that models.dev does not have, or not with this model: the maker's own,
           by the name before the slash or the id alone, without prices.

        Of a model that the person's own machine runs nothing is said.
        """
        if is_unknowable(preset):
            return None
        return self._of_vendor(vendor_of(preset), model) or self._of_maker(model)

    def size(self) -> int:
        """Count the models."""
        return sum(len(self._vendor(name)) for name in self._raw)

    def vendors(self) -> tuple[str, ...]:
        """Give the names of the vendors."""
        return tuple(self._raw)

    def _of_vendor(self, vendor: str, model: str) -> ModelFacts | None:
        lines = self._vendor(vendor)
        for id in _same(model):
            if id in lines:
                return lines[id].facts()
        for id in _others(model):
            if id in lines:
                return lines[id].facts().without_prices()
        return None

    def _of_maker(self, model: str) -> ModelFacts | None:
        maker, slash, id = model.rpartition("/")
        if slash:
            named = MAKERS.get(maker.rpartition("/")[2].lower())
            makers = [named] if named else []
        else:
            makers = list(dict.fromkeys(MAKERS.values()))
        for name in makers:
            if found := self._of_vendor(name, id):
                return found.without_prices()
        return None

    def _vendor(self, name: str) -> Mapping[str, _Line]:
        if name not in self._read:
            raw = self._raw.get(name)
            self._read[name] = msgspec.json.decode(raw, type=dict[str, _Line]) if raw else {}
        return self._read[name]


def _same(model: str) -> Iterator[str]:
    """Give the ids under which a vendor may list just this model, the likeliest first."""
    id = model.removeprefix("models/")
    yield id
    if bare := _LATEST.sub("", id):
        yield bare
        yield f"{bare}-latest"
    maker, slash, rest = id.rpartition("/")
    if slash and maker in MAKERS:
        yield rest


def _others(model: str) -> Iterator[str]:
    """Give the ids of which this one is a dated, regional or otherwise special form."""
    for id in tuple(_same(model)):
        plain = _REGION.sub("", _VARIANT.sub("", id), count=1)
        for each in (plain, _DATE.sub("", plain)):
            if each != id:
                yield each
                yield f"{each}-latest"


def read_facts(text: bytes) -> Facts:
    """Read an extract. Raises ValueError if it is none, or one of another format."""
    file = msgspec.json.decode(text, type=_File)
    if file.format != FORMAT:
        raise ValueError(f"its format is {file.format}, this program reads {FORMAT}")
    facts = Facts(file)
    facts.size()  # a line that cannot be read is noticed now, not at a request
    return facts


def bundled_facts() -> Facts:
    """Read the extract that is shipped."""
    from importlib.resources import files

    text = files(__package__ or "").joinpath(FILE_NAME).read_bytes()
    return Facts(msgspec.json.decode(text, type=_File))
