"""Where a vendor is asked for its list of models."""

from __future__ import annotations

import pytest

from holdgate.core.catalog import Preset, load_presets
from holdgate.core.config.load import load
from holdgate.core.relay.model_lists import fetch_models
from holdgate.core.relay.ports import Call, Feed, Head, Outgoing
from holdgate.core.relay.roster import Current, Roster
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.secret import Secret

PRESETS = load_presets()
WITH_LIST = [name for name, each in PRESETS.items() if each.ready and not each.models]


class Line:
    """A request under way that cannot be stopped."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def abort(self) -> None: ...


class Vendor:
    """A vendor that has one model."""

    def __init__(self) -> None:
        self.asked: list[Outgoing] = []

    def send(self, outgoing: Outgoing, feed: Feed) -> Call:
        self.asked.append(outgoing)
        feed.on_sent()
        feed.on_head(Head(200, ()))
        feed.on_bytes(b'{"data": [{"id": "m"}]}')
        feed.on_end()
        return Line()

    async def close(self) -> None: ...


async def asked(preset: Preset, *lines: str) -> Outgoing:
    text = "\n".join(["[providers.p]", f'preset = "{preset.name}"', *lines])
    settings, vendor = load(text, "config.toml"), Vendor()
    current = Current(Roster(settings, {("p", "default"): Secret("the-key")}))
    models = await fetch_models(current, vendor, settings.providers["p"])
    assert [model.id for model in models] == ["m"]
    (outgoing,) = vendor.asked
    return outgoing


@pytest.mark.parametrize("name", WITH_LIST)
async def test_the_list_and_the_key_go_to_the_vendor(name: str) -> None:
    preset = PRESETS[name]
    outgoing = await asked(preset)
    dialect = preset.dialects[0]
    base = preset.bases[dialect]
    suffix = "/v1/models?limit=1000" if dialect == "messages" else "/models"
    assert outgoing.url == (preset.lists.get(dialect) or base + suffix)
    header = "x-api-key" if dialect == "messages" else "authorization"
    assert "the-key" in dict(outgoing.headers)[header]


async def test_elsewhere_than_usual() -> None:
    outgoing = await asked(PRESETS["siliconflow"])
    assert outgoing.url == "https://api.siliconflow.com/v1/models?sub_type=chat"


async def test_at_an_address_of_the_persons_it_is_where_it_usually_is() -> None:
    outgoing = await asked(PRESETS["siliconflow"], 'chat = "https://relay.example/v1"')
    assert outgoing.url == "https://relay.example/v1/models"


async def test_who_has_no_list_is_not_asked() -> None:
    with pytest.raises(Fault) as caught:
        await asked(PRESETS["azure"], 'chat = "https://mine.openai.azure.com/openai/v1"')
    assert caught.value.kind is FaultKind.MODEL
    assert "models = [...]" in str(caught.value)
