"""The letterhead: the headers that every request to one key in one dialect bears."""

from __future__ import annotations

from dataclasses import dataclass

from holdgate.core.dialects.base import Dialect
from holdgate.core.relay.headers import key_header, merged
from holdgate.core.values.inbound import Headers
from holdgate.core.values.secret import Secret
from holdgate.core.values.settings import Provider

# A stream that is compressed cannot be passed on event by event.
_IDENTITY = (("accept-encoding", "identity"),)


@dataclass(frozen=True, slots=True)
class Letterhead:
    """Made once for each key and dialect. `fixed` replace an agent's, `wanted` fill in for them."""

    fixed: Headers
    wanted: Headers
    names: frozenset[str]

    def over(self, headers: Headers) -> Headers:
        """Give an agent's headers under this letterhead."""
        kept = tuple(pair for pair in headers if pair[0] not in self.names)
        if not self.wanted:
            return kept + self.fixed
        present = {name for name, _ in kept}
        return kept + tuple(p for p in self.wanted if p[0] not in present) + self.fixed


def letterhead(provider: Provider, dialect: Dialect, key: Secret) -> Letterhead:
    """Make a letterhead. `provider.headers` may replace anything but the key."""
    place = provider.auth.get(dialect.name, dialect.key_place)
    own_key = (key_header(place, key.reveal()),) if key else ()
    fixed = merged(_IDENTITY, provider.headers, own_key)
    names = frozenset(name for name, _ in fixed)
    wanted = tuple(pair for pair in dialect.required_headers if pair[0] not in names)
    return Letterhead(fixed, wanted, names)
