"""One browser for all tests of the page; each gets it clean, and its console must stay so."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.page.browser import DESKTOP, Browser, start

if TYPE_CHECKING:
    from selenium.webdriver import Chrome


@pytest.fixture(scope="session")
def chrome() -> Iterator[Chrome]:
    driver = start()
    yield driver
    driver.quit()


@pytest.fixture
async def browser(chrome: Chrome) -> AsyncIterator[Browser]:
    tab = Browser(chrome)
    await tab.open("about:blank")
    await tab.said()
    await tab.size(DESKTOP)
    await tab.scheme("light")
    yield tab
    said = await tab.said()
    await tab.open("about:blank")  # its connection to the gateway ends
    broken = [line for line in said if "Content Security Policy" in line or "Uncaught" in line]
    assert broken == []
