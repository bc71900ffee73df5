"""A real browser for tests: the system's Chromium, steered by Selenium off the event loop."""

from __future__ import annotations

import asyncio
import base64
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from holdgate.core.store.instance import read_runtime
from tests.journeys.gateway import Json, Running

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

T = TypeVar("T")

# Seconds for whatever is waited for; far more than it takes.
PATIENCE = 30.0
DESKTOP = (1100, 900)
PHONE = (360, 740)
_LOOK = 0.05

# Gives the rows of a table as {column: text}.
ROWS = """
return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map(row => ({
  key: row.dataset.key,
  ...Object.fromEntries([...row.cells].map(cell => [cell.dataset.label, cell.innerText])),
}));
"""


def start() -> Chrome:
    """Start a browser."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in (
        "--headless=new",
        "--no-sandbox",  # root in a container
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-background-networking",
        "--force-device-scale-factor=1",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


class Browser:
    """One tab. What it does waits in a thread, so that gateways and vendors go on meanwhile."""

    def __init__(self, driver: Chrome) -> None:
        self._driver = driver

    async def do(self, call: Callable[..., T], *args: Any) -> T:
        return await asyncio.to_thread(call, *args)

    async def open(self, url: str) -> None:
        await self.do(self._driver.get, url)

    async def enter(self, gateway: Running, more: str = "") -> None:
        """Open a gateway's page with its token, and wait until it shows something."""
        await self.open(f"{gateway.url}/#token={token(gateway)}{more}")
        await self.until("return document.querySelector('#summary')?.innerText")

    async def js(self, script: str, *args: Any) -> Any:
        return await self.do(self._driver.execute_script, script, *args)

    async def js_async(self, script: str, *args: Any) -> Any:
        """Run a script that calls its last argument when it is done."""
        return await self.do(self._driver.execute_async_script, script, *args)

    async def until(self, script: str, *args: Any, within: float = PATIENCE) -> Any:
        """Run a script until it gives something true; give that."""
        return await self.until_so(lambda: self.js(script, *args), bool, within)

    async def until_so(
        self, look: Callable[[], Any], there: Callable[[Any], bool], within: float = PATIENCE
    ) -> Any:
        end = asyncio.get_running_loop().time() + within
        while not there(found := await look()):
            assert asyncio.get_running_loop().time() < end, f"not so within {within}s: {found}"
            await asyncio.sleep(_LOOK)
        return found

    async def rows(self, table: str) -> list[Json]:
        found: list[Json] = await self.js(ROWS, table)
        return found

    async def until_rows(
        self, table: str, there: Callable[[list[Json]], bool], within: float = PATIENCE
    ) -> list[Json]:
        """Wait until a table's rows are as wanted."""
        found: list[Json] = await self.until_so(lambda: self.rows(table), there, within)
        return found

    async def click(self, css: str) -> None:
        """Click with the mouse on what stands there."""
        from selenium.webdriver.common.by import By

        await self.do(lambda: self._driver.find_element(By.CSS_SELECTOR, css).click())

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        from selenium.webdriver import ActionChains

        await self.do(lambda: ActionChains(self._driver).send_keys(*keys).perform())

    async def command(self, name: str, **options: object) -> Any:
        """Give the browser a command of its own protocol."""
        return await self.do(self._driver.execute_cdp_cmd, name, options)

    async def size(self, size: tuple[int, int], *, phone: bool = False) -> None:
        await self.command(
            "Emulation.setDeviceMetricsOverride",
            width=size[0], height=size[1], deviceScaleFactor=1, mobile=phone,
        )  # fmt: skip

    async def scheme(self, name: str) -> None:
        """Prefer `light` or `dark`."""
        features = [
            {"name": "prefers-color-scheme", "value": name},
            {"name": "prefers-reduced-motion", "value": "reduce"},  # else a click meets what moves
        ]
        await self.command("Emulation.setEmulatedMedia", features=features)

    async def picture(self) -> bytes:
        """Give what is seen, as PNG."""
        shot = await self.command("Page.captureScreenshot", format="png")
        return base64.b64decode(shot["data"])

    async def tree(self) -> list[tuple[str, str]]:
        """Give what a screen reader sees: role and name of each node."""
        found = await self.command("Accessibility.getFullAXTree")
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in found["nodes"]
            if not node.get("ignored") and "role" in node
        ]

    async def said(self) -> list[str]:
        """Give what the console was told since the last time."""
        return [str(each["message"]) for each in await self.do(self._driver.get_log, "browser")]


def token(gateway: Running) -> str:
    """Give the control token of a gateway."""
    runtime = read_runtime(gateway.state)
    assert runtime is not None
    return runtime.token
