"""What a request is served by, as it is read from the settings and the environment."""

from __future__ import annotations

from holdgate.core.host.assembly import read_roster
from holdgate.core.relay.outgoing import own
from holdgate.core.values.settings import Key, Provider, Settings

URL = "http://vendor.test/v1"
WAYS = {"near": "direct", "far": "http://one.test:1", "other": "", "last": "http://two.test:2"}


def test_providers_of_one_address_have_proxies_of_their_own() -> None:
    providers = {
        name: Provider(name=name, chat=URL, proxy=proxy, keys=(Key(),))
        for name, proxy in WAYS.items()
    }
    roster = read_roster(Settings(providers=providers), {"HTTP_PROXY": "http://all.test:3"})
    ways = [own("GET", URL, b"", roster, (name, "default"), "chat").proxy for name in WAYS]
    assert ways == ["", "http://one.test:1", "http://all.test:3", "http://two.test:2"]
