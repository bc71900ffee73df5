"""Wrong keys: slows down whoever guesses, by address."""

from __future__ import annotations

from collections import OrderedDict

MOST_WRONG = 10  # in any window
WINDOW = 60.0  # seconds
MOST_ADDRESSES = 4096


class WrongKeys:
    """How many wrong keys each address showed in the last minute.

    Holds MOST_ADDRESSES addresses at most; the one that was quiet longest is forgotten first.
    """

    __slots__ = ("_most_addresses", "_times")

    def __init__(self, most_addresses: int = MOST_ADDRESSES) -> None:
        """Begin with nobody."""
        self._most_addresses = most_addresses
        self._times: OrderedDict[str, tuple[float, ...]] = OrderedDict()

    def __len__(self) -> int:
        """Give the number of addresses that are remembered."""
        return len(self._times)

    def locked_for(self, address: str, now: float) -> float:
        """Give the seconds until this address may show a wrong key again; 0: it may now."""
        times = self._times.get(address, ())
        if len(times) < MOST_WRONG:
            return 0.0
        return max(0.0, times[-MOST_WRONG] + WINDOW - now)

    def count(self, address: str, now: float) -> None:
        """Note a wrong key from this address, `now` on the monotonic clock."""
        times = self._times.pop(address, ())
        self._times[address] = (*(at for at in times if at + WINDOW > now), now)[-MOST_WRONG:]
        if len(self._times) > self._most_addresses:
            self._times.popitem(last=False)
