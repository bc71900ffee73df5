"""The page in a real browser: a person sees who waits for what, and acts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.agents import Agent, RawReply, RawStream, get, post
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import Json, Running, asking, provider, running
from tests.page.browser import DESKTOP, PATIENCE, PHONE, Browser, token

pytestmark = pytest.mark.system("chromium")

PICTURES = Path(__file__).parents[2] / "docs/images"
ONE = "concurrency = 1"
HOLD = '[hold]\nafter = "250ms"\nevery = "250ms"\n'
AGENTS = ("claude-code", "codex", "gemini-cli")

# Notes when the page first shows so many requests with a reason, in Unix seconds.
WATCH = """
window.shown = null;
const look = () => {
  const cells = [...document.querySelectorAll('#requests td[data-label="Why"]')];
  const good = cells.filter(cell => cell.textContent.includes('waits for fake: '));
  if (good.length === arguments[0]) window.shown = Date.now() / 1000;
  else setTimeout(look, 20);
};
look();
"""


@asynccontextmanager
async def asked(gateway: Running, name: str, *, model: str = "fake/fake-model") -> Any:
    """Be an agent that streams; give its reply as soon as it begins, to be read."""
    key = {"Authorization": f"Bearer holdgate-{name}"}
    path, upload = asking("chat", model, stream=True, words=f"I am {name}", headers=key)
    agent = await Agent.connect(gateway.url)
    loop = asyncio.get_running_loop()
    reply = loop.create_task(agent.send(gateway.url + path, upload))
    try:
        yield reply
    finally:
        reply.cancel()
        await agent.close()


async def whole(reply: asyncio.Future[RawStream]) -> RawReply:
    """Read a reply to its end."""
    async with asyncio.timeout(PATIENCE):
        return await (await reply).read_all()


@asynccontextmanager
async def busy(
    home: Path, config: str = HOLD, *lines: str
) -> AsyncIterator[tuple[Running, FakeVendor, asyncio.Event, asyncio.Future[RawStream]]]:
    """Run a gateway whose one place is taken until the event is set."""
    go = asyncio.Event()
    async with FakeVendor(limit_concurrent=1) as vendor:
        vendor.script(Reply(until=go))
        table = provider(vendor.url, ONE, *lines)
        async with running(home, config + table) as gateway, asked(gateway, "aider") as first:
            await vendor.arrived(1)
            try:
                yield gateway, vendor, go, first
            finally:
                go.set()


async def status(gateway: Running) -> Json:
    found: Json = await gateway.control("/api/status")
    return found


def do(key: str, what: str) -> str:
    """Give the selector of a button of a request."""
    return f'#requests tr[data-key="{key}"] button[data-do="{what}"]'


def agents_of(rows: list[Json]) -> list[str]:
    return [row["Agent"] for row in rows]


# What it is for.


async def test_three_agents_queue_and_a_person_steers_them(
    tmp_path: Path, browser: Browser
) -> None:
    async with busy(tmp_path) as (gateway, vendor, go, first), AsyncExitStack() as stack:
        await browser.enter(gateway)
        await browser.until_rows("#requests", lambda rows: agents_of(rows) == ["aider"])
        # Shown within a second, with reasons.
        replies, delays = {}, []
        for number, name in enumerate(AGENTS, 1):
            await browser.js(WATCH, number)
            replies[name] = await stack.enter_async_context(asked(gateway, name))
            since = (await gateway.waiting(number))["requests"][-1]["since"]
            delays.append(await browser.until("return window.shown") - since)
        assert min(delays) < 1.0 and max(delays) < PATIENCE, delays
        rows = await browser.until_rows("#requests", lambda rows: len(rows) == 4)
        assert agents_of(rows) == [*AGENTS, "aider"]
        assert [row["Place"] for row in rows] == ["1", "2", "3", ""]
        assert all("waits for fake: 1 of 1 at once are taken" in row["Why"] for row in rows[:3])
        assert [row["State"].strip() for row in rows[:3]] == ["waiting"] * 3
        # To the front, and Cancel.
        ids = {row["Agent"]: row["key"] for row in rows}
        await browser.click(do(ids["gemini-cli"], "first"))
        turned = ["gemini-cli", "claude-code", "codex", "aider"]
        await browser.until_rows("#requests", lambda rows: agents_of(rows) == turned)
        places = {each["agent"]: each["position"] for each in (await status(gateway))["requests"]}
        assert places == {"gemini-cli": 1, "claude-code": 2, "codex": 3, "aider": None}
        extra = await stack.enter_async_context(asked(gateway, "opencode"))
        rows = await browser.until_rows("#requests", lambda rows: "opencode" in agents_of(rows))
        ids = {row["Agent"]: row["key"] for row in rows}
        await browser.click(do(ids["opencode"], "cancel"))
        ended = await whole(extra)
        assert b"cancelled by the person" in ended.body
        await browser.until_rows("#requests", lambda rows: "opencode" not in agents_of(rows))
        recent = await browser.until_rows("#ended", lambda rows: "opencode" in agents_of(rows))
        assert "cancelled" in recent[0]["End"]
        # Pause: nothing starts though the place is free, and the agents stay alive.
        await browser.click("#pause")
        await browser.until(
            "return document.querySelector('#summary').innerText.includes('paused')"
        )
        assert (await status(gateway))["paused"] == {"until": None, "why": "paused by the person"}
        go.set()
        assert (await whole(first)).status == 200
        await vendor.ended(1)
        for reply in replies.values():
            stream = await reply
            heard = len(stream.reply.body)
            async with asyncio.timeout(PATIENCE):
                while stream.reply.body[heard:].count(b": keepalive") < 2:
                    assert await stream.read_some()
            assert stream.reply.ended == ""
        assert len(vendor.requests) == 1
        rows = await browser.until_rows("#requests", lambda rows: len(rows) == 3)
        assert all(row["Why"] == "waits for fake: paused" for row in rows)
        # Resume: three answers, the one that was moved first.
        await browser.click("#resume")
        answers = [await whole(reply) for reply in replies.values()]
        assert [answer.status for answer in answers] == [200] * 3
        assert all(answer.body.rstrip().endswith(b"data: [DONE]") for answer in answers)
        told = [seen.json["messages"][0]["content"] for seen in vendor.requests]
        assert told == [f"I am {name}" for name in ("aider", "gemini-cli", "claude-code", "codex")]
        assert vendor.violations == 0
        await browser.until_rows("#requests", lambda rows: rows == [])
        await browser.until_rows("#ended", lambda rows: len(rows) == 5)


async def test_pauses_for_a_while_and_of_one_provider(tmp_path: Path, browser: Browser) -> None:
    async with FakeVendor() as vendor:
        second = provider(vendor.url, name="other", models='["other-model"]')
        async with running(tmp_path, provider(vendor.url) + second) as gateway:
            await browser.enter(gateway)
            for button, seconds in (("#pause-short", 900), ("#pause-long", 3600)):
                await browser.click(button)
                shown = await gateway.until(lambda shown: shown["paused"] is not None)
                now = await browser.js("return Date.now() / 1000")
                assert abs(shown["paused"]["until"] - now - seconds) < 30
                await browser.until("return !document.querySelector('#resume').hidden")
                # The button that was pressed is gone: the focus is on the way back.
                await browser.until("return document.activeElement.id === 'resume'")
                await browser.press("\ue007")
                await gateway.until(lambda shown: shown["paused"] is None)
                await browser.until("return document.activeElement.id === 'pause'")
            await browser.click('#lanes tr[data-key="other/default"] button')
            paused = await gateway.until(lambda shown: any(e["paused"] for e in shown["lanes"]))
            assert [e["provider"] for e in paused["lanes"] if e["paused"]] == ["other"]
            await browser.until_rows("#lanes", lambda rows: "paused" in str(rows))
            await browser.click('#lanes tr[data-key="other/default"] button')
            await gateway.until(lambda shown: not any(e["paused"] for e in shown["lanes"]))


async def test_what_ended_is_told_in_full(tmp_path: Path, browser: Browser) -> None:
    async with FakeVendor() as vendor:
        config = provider(vendor.url, dialects=("messages",))
        async with running(tmp_path, config) as gateway:
            vendor.script(Reply(status=400))
            key = {"Authorization": "Bearer holdgate-codex"}
            path, upload = asking("chat", stream=True, headers=key)
            assert isinstance(upload.body, dict)
            body = {**upload.body, "frequency_penalty": 1.5}  # no such thing in Messages
            ended = await post(gateway.url + path, upload=replace(upload, body=body))
            assert ended.status == 400
            id = ended.header("X-Holdgate-Request")
            await browser.enter(gateway)
            rows = await browser.until_rows("#ended", lambda rows: len(rows) == 1)
            assert (rows[0]["Agent"], rows[0]["Model"]) == ("codex", "fake/fake-model")
            await browser.js("document.querySelector('#ended button').focus()")
            await browser.press("\ue007")
            await browser.until("return document.activeElement.id === 'detail'")
            shown = await gateway.control(f"/api/requests/{id}")
            text = await browser.js("return document.querySelector('#detail').innerText")
            assert id in text
            for note in shown["timeline"]:
                assert note["what"] in text
            assert text.count("Try ") == len(shown["tries"]) == 1
            assert len(shown["losses"]) >= 1 and rows[0]["Losses"] == str(len(shown["losses"]))
            for loss in shown["losses"]:
                assert loss["path"] in text
            await browser.press("\ue00c")
            await browser.until("return document.querySelector('#detail').hidden")
            assert await browser.js("return document.activeElement.dataset.do") == "look"
            # The same by an address that names it, as the tray gives it.
            await browser.open("about:blank")
            await browser.enter(gateway, f"&request={id}")
            await browser.until(
                f"return document.querySelector('#detail').innerText.includes('{id}')"
            )
            assert await browser.js("return location.href") == f"{gateway.url}/"


async def test_providers_models_and_how_to_connect(tmp_path: Path, browser: Browser) -> None:
    async with FakeVendor() as vendor:
        table = provider(
            vendor.url, "concurrency = 2", "rpm = 9", models='["fake-model", "big one"]'
        )
        async with running(tmp_path, table) as gateway:
            await browser.enter(gateway)
            rows = await browser.until_rows("#provider-table", lambda rows: len(rows) == 1)
            assert "2 at once, 9 requests in 1 min 0 s" in rows[0]["Keys and limits"]
            await browser.click("#provider-table button")
            await browser.until(
                "return document.querySelector('#told').innerText === 'fake answers'"
            )
            assert len(vendor.requests) == 4
            models = await browser.until_rows("#model-table", lambda rows: len(rows) == 2)
            assert [row["Model"] for row in models] == ["fake/fake-model", "fake/big one"]
            await browser.js(
                "const model = document.querySelector('#model'); model.value = 'fake/big one';"
                "model.dispatchEvent(new Event('change'));"
            )
            lines = await browser.js("return document.querySelector('#connect-lines').textContent")
            assert lines.splitlines() == [
                "# once, with nothing written",
                "gateway run claude-code -m 'fake/big one'",
                "# for good, until gateway disconnect claude-code",
                "gateway connect claude-code -m 'fake/big one'",
            ]
            names = await browser.js("return [...document.querySelector('#agent').options].length")
            for number in range(names):
                await browser.js(
                    "const agent = document.querySelector('#agent');"
                    "agent.selectedIndex = arguments[0]; agent.dispatchEvent(new Event('change'));",
                    number,
                )
                lines = await browser.js(
                    "return document.querySelector('#connect-lines').textContent"
                )
                assert "big one" in lines
                assert gateway.url in lines or "gateway " in lines
            grant = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
            await browser.command("Browser.grantPermissions", origin=gateway.url, **grant)
            await browser.click("#copy")
            await browser.until("return document.querySelector('#told').innerText === 'copied'")
            pasted = await browser.js_async("navigator.clipboard.readText().then(arguments[0])")
            assert pasted == lines


async def test_full_minutes_and_rests_are_told(tmp_path: Path, browser: Browser) -> None:
    async with FakeVendor() as vendor, AsyncExitStack() as stack:
        config = provider(vendor.url, "rpm = 1") + provider(vendor.url, name="other")
        async with running(tmp_path, config) as gateway:
            await browser.enter(gateway)
            await browser.until_rows("#provider-table", lambda rows: len(rows) == 2)
            async with asked(gateway, "codex") as reply:
                assert (await whole(reply)).status == 200
            await stack.enter_async_context(asked(gateway, "aider"))
            rows = await browser.until_rows(
                "#requests", lambda rows: bool(rows) and "minute is full" in rows[0]["Why"]
            )
            assert re.fullmatch(r"in \d+ s|in 1 min 0 s", rows[0]["Goes"])
            lanes = {row["key"]: row for row in await browser.rows("#lanes")}
            assert re.match(r"1 of 1, next in \d+", lanes["fake/default"]["Minute"])
            # A key that is refused rests, and a test that it passes ends that.
            vendor.script(Reply(status=401))
            async with asked(gateway, "codex", model="other/fake-model") as reply:
                assert (await whole(reply)).status == 502
            rows = await browser.until_rows("#lanes", lambda rows: "resting" in str(rows))
            (rest,) = [each["rest"] for each in (await status(gateway))["lanes"] if each["rest"]]
            assert rest["why"] in next(r["State"] for r in rows if r["key"] == "other/default")
            rows = await browser.rows("#provider-table")
            assert rest["why"] in next(row["Rests"] for row in rows if row["key"] == "other")
            said = "return document.querySelector('#told').innerText"
            button = '#provider-table tr[data-key="other"] button'
            vendor.script(*[Reply(status=401)] * 4)
            await browser.click(button)
            text = await browser.until(f"{said}.startsWith('other fails: ') && {said[7:]}")
            assert "default, chat: " in text
            await browser.click(button)
            await browser.until(f"{said} === 'other answers; no longer resting: default'")
            await browser.until_rows("#lanes", lambda rows: "resting" not in str(rows))
            await stack.aclose()


# Who gets in.


async def test_the_token_leaves_the_address_at_once(tmp_path: Path, browser: Browser) -> None:
    async with running(tmp_path) as gateway:
        await browser.enter(gateway)
        secret = token(gateway)
        assert await browser.js("return location.href") == f"{gateway.url}/"
        assert secret not in await browser.js("return document.documentElement.outerHTML")
        entries = await browser.js("return performance.getEntries().map(each => each.name)")
        asked_for = [entry for entry in entries if "/api/" in entry]
        assert asked_for and not any(secret in entry for entry in asked_for)
        assert await browser.js("return [localStorage.length, document.cookie]") == [0, ""]
        # A page that is loaded again has it still; another tab does not.
        await browser.js("location.reload()")
        await browser.until("return document.querySelector('#summary')?.innerText")


async def test_without_the_token_nothing_is_shown(tmp_path: Path, browser: Browser) -> None:
    async with busy(tmp_path) as (gateway, _, _, _):
        await browser.open(gateway.url + "/")
        await browser.until("return !document.querySelector('#door').hidden")
        text = await browser.js("return document.body.innerText")
        assert "gateway open" in text
        assert "aider" not in text and "fake" not in text
        assert not await browser.js("return document.querySelector('#house').checkVisibility()")
        asked_for = "return performance.getEntriesByType('resource').map(each => each.name)"
        assert not [each for each in await browser.js(asked_for) if "/api" in each]
        # A wrong one opens nothing, and is told apart.
        await browser.open("about:blank")
        await browser.open(f"{gateway.url}/#token=wrong")
        await browser.until("return document.body.innerText.includes('not good any more')")
        text = await browser.js("return document.body.innerText")
        assert "aider" not in text and "fake" not in text
        assert await browser.js("return sessionStorage.length") == 0


FOREIGN = """
const [gateway, token, done] = arguments;
const tried = async (work) => {
  try { const reply = await work(); return `${reply.type} ${reply.status} ${await reply.text()}`; }
  catch (error) { return `refused: ${error.name}`; }
};
const loaded = (tag, name, url) => new Promise((resolve) => {
  const node = document.createElement(tag);
  node.onload = () => resolve('loaded');
  node.onerror = () => resolve('refused');
  node[name] = url;
  document.body.append(node);
  setTimeout(() => resolve('nothing'), 5000);
});
const framed = async () => {
  const frame = document.createElement('iframe');
  frame.src = gateway + '/';
  const seen = new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 5000); });
  document.body.append(frame);
  await seen;
  try { return frame.contentDocument ? 'seen' : 'refused'; } catch { return 'refused'; }
};
const post = { method: 'POST', body: '{}' };
const auth = { Authorization: `Bearer ${token}` };
(async () => done({
  read: await tried(() => fetch(gateway + '/api/status', { headers: auth })),
  page: await tried(() => fetch(gateway + '/', { headers: { Accept: 'text/html' } })),
  blind: await tried(() => fetch(gateway + '/api/status', { mode: 'no-cors' })),
  pause: await tried(() => fetch(gateway + '/api/pause', { ...post, mode: 'no-cors' })),
  paused: await tried(() => fetch(gateway + '/api/pause', { ...post, headers: auth })),
  script: await loaded('script', 'src', gateway + '/page.js'),
  frame: await framed(),
}))();
"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_page_of_another_origin_gets_nothing(
    tmp_path: Path, browser: Browser, host: str
) -> None:
    async with busy(tmp_path) as (gateway, vendor, _, _):
        # The fake vendor stands in for any other program with a port on this machine.
        foreign = vendor.url.replace("127.0.0.1", host)
        await browser.open(f"{foreign}/v1/models")
        assert (await browser.js("return location.origin")) == foreign
        got = await browser.js_async(FOREIGN, gateway.url, token(gateway))
        assert got["read"] == got["page"] == got["paused"] == "refused: TypeError", got
        assert got["blind"] in ("opaque 0 ", "refused: TypeError")
        assert got["pause"] in ("opaque 0 ", "refused: TypeError")
        assert got["script"] == got["frame"] == "refused", got
        await browser.said()  # of the frame that was refused
        shown = await status(gateway)
        assert shown["paused"] is None
        # The same words from no page at all are answered: it was the origin that was refused.
        key = {"Authorization": f"Bearer {token(gateway)}"}
        assert (await get(gateway.url + "/api/status", key)).status == 200
        refused = await get(gateway.url + "/api/status", {**key, "Origin": foreign})
        assert refused.status == 403 and b"aider" not in refused.body


# How it behaves.


MANY = 500


async def test_five_hundred_that_wait_keep_it_usable(tmp_path: Path, browser: Browser) -> None:
    async with busy(tmp_path, "") as (gateway, _, _, _), AsyncExitStack() as stack:
        await browser.enter(gateway)
        for _ in range(MANY):
            await stack.enter_async_context(asked(gateway, "claude-code"))
        await gateway.until(lambda shown: shown["counts"]["waiting"] >= MANY, within=PATIENCE)
        rows = await browser.until_rows("#requests", lambda rows: len(rows) == MANY)
        # The snapshot lists 500 and counts all.
        more = await browser.js("return document.querySelector('#more-requests').innerText")
        assert more == "The first 500 are shown, 1 more are not."
        assert (await browser.js("return document.title")).startswith("500 waiting")
        # Rows stay the same nodes, and the focus stays, while others come and go.
        last = next(row["key"] for row in rows if row["Place"] == "400")
        await browser.js(
            "window.row = document.querySelector(arguments[0]).closest('tr');"
            "document.querySelector(arguments[0]).focus({preventScroll: true});"
            "window.draws = []; new MutationObserver(() => draws.push(performance.now()))"
            ".observe(row.parentNode, {childList: true});"
            "window.gaps = []; let before = performance.now();"
            "setInterval(() => { const now = performance.now(); gaps.push(now - before);"
            "before = now; }, 20);",
            do(last, "first"),
        )
        for number in range(20):
            key = rows[number]["key"]
            await told(gateway, f"/api/requests/{key}/cancel")
        await browser.until_rows("#requests", lambda rows: len(rows) <= MANY - 19)
        draws = await browser.js("return draws")
        assert 1 <= len(draws) <= 4 * (draws[-1] - draws[0]) / 1000 + 2, draws
        assert await browser.js(
            "return row.isConnected && row === document.querySelector(arguments[0]).closest('tr')"
            "&& document.activeElement === document.querySelector(arguments[0])",
            do(last, "first"),
        )
        # It answers the person: a key press on the focused button moves the 400th to the front.
        await browser.press("\ue007")
        await browser.until_rows("#requests", lambda rows: rows[0]["key"] == last)
        assert await browser.js("return document.activeElement.closest('tr') === row")
        gaps = sorted(await browser.js("return gaps"))
        assert gaps[len(gaps) * 9 // 10] < 250, gaps[-10:]


async def told(gateway: Running, path: str) -> None:
    """Post to the control API."""
    reply = await post(gateway.url + path, b"", {"Authorization": f"Bearer {token(gateway)}"})
    assert reply.status == 200, reply.body


async def test_by_keyboard_and_screen_reader(tmp_path: Path, browser: Browser) -> None:
    async with busy(tmp_path) as (gateway, _, _, _), AsyncExitStack() as stack:
        for number, name in enumerate(AGENTS, 1):
            await stack.enter_async_context(asked(gateway, name))
            await gateway.waiting(number)
        await browser.enter(gateway)
        await browser.until_rows("#requests", lambda rows: len(rows) == 4)
        await browser.until_rows("#model-table", lambda rows: len(rows) == 1)
        tree = await browser.tree()
        roles = [role for role, _ in tree]
        for landmark in ("banner", "main", "navigation", "status", "region"):
            assert landmark in roles, landmark
        assert all(name for role, name in tree if role in ("button", "link", "combobox", "table"))
        assert any(role == "button" and name.startswith("Cancel hg-") for role, name in tree)
        assert any(role == "image" and "last hour" in name for role, name in tree)
        # Every control is reached with Tab, and shows that it is.
        wanted = await browser.js(
            "window.wanted = [...document.querySelectorAll('button, a, select, pre')]"
            ".filter(each => each.checkVisibility() && !each.disabled); return wanted.length"
        )
        await browser.js("document.activeElement.blur()")
        seen = set()
        for _ in range(wanted + 5):
            await browser.press("\ue004")
            at, outline = await browser.js(
                "const it = document.activeElement;"
                "return [wanted.indexOf(it), getComputedStyle(it).outlineStyle]"
            )
            if at >= 0:
                assert outline == "solid", at
                seen.add(at)
        assert seen == set(range(wanted))
        # One is moved and one cancelled by keys alone; the focus stays where the person works.
        rows = await browser.rows("#requests")
        moved = rows[2]["key"]
        await browser.js("document.querySelector(arguments[0]).focus()", do(moved, "first"))
        await browser.press(" ")
        await browser.until_rows("#requests", lambda rows: rows[0]["key"] == moved)
        focused = "return document.activeElement === document.querySelector(arguments[0])"
        assert await browser.js(focused, do(moved, "first"))
        await browser.press("\ue004", "\ue007")
        rows = await browser.until_rows("#requests", lambda rows: len(rows) == 3)
        assert moved not in [row["key"] for row in rows]
        await browser.until(focused, do(rows[0]["key"], "cancel"))
        assert moved in await browser.js("return document.querySelector('#told').innerText")


# Lets the page look at an hour that is scripted: two of its quarters, with a gap between them.
HOUR = """
const end = Date.now() / 1000;
const samples = [];
for (let ago = 3590; ago >= 0; ago -= 10) {
  if (ago > 900 && ago < 1500) continue;
  const wave = Math.sin(ago / 240) + Math.sin(ago / 77);
  const within = (count, most) => Math.min(most, Math.max(0, Math.round(count)));
  samples.push([end - ago, within(4 * wave, 9), within(2 + 2 * wave, 2)]);
}
const real = window.fetch;
window.fetch = (path, options) => path === '/api/history'
  ? Promise.resolve(new Response(JSON.stringify({ every: 10, samples }))) : real(path, options);
document.dispatchEvent(new Event('visibilitychange'));
return [1, 2].map((index) => Math.max(...samples.map((sample) => sample[index])));
"""


async def test_the_graph_draws_the_last_hour(tmp_path: Path, browser: Browser) -> None:
    async with busy(tmp_path) as (gateway, _, _, _), AsyncExitStack() as stack:
        await stack.enter_async_context(asked(gateway, "codex"))
        await gateway.waiting(1)
        # What the gateway has kept is there when the page is opened.
        await gateway.until(
            lambda found: [1, 1] in [sample[1:] for sample in found["samples"]],
            "/api/history",
            within=PATIENCE,
        )
        await browser.enter(gateway)
        label = "return document.querySelector('#graph').getAttribute('aria-label')"
        kept = "Waiting and running requests in the last hour: at most 1 waiting, 1 running"
        assert await browser.until(label) == kept
        # An hour of it fills the graph, and no more.
        waiting, ran = await browser.js(HOUR)
        await browser.until(
            f"return ({label.removeprefix('return ')}).includes('{waiting} waiting')"
        )
        assert f"{waiting} waiting, {ran} running" in await browser.js(label)
        for name in ("waiting", "running"):
            left, right, top, bottom, parts = await browser.js(
                "const path = document.querySelector('#graph path.' + arguments[0]);"
                "const box = path.getBBox(), parts = path.getAttribute('d').split('M').length - 1;"
                "return [box.x, box.x + box.width, box.y, box.y + box.height, parts];",
                name,
            )
            assert left < 5 and 715 < right <= 720 and top >= 0 and bottom <= 160
            assert parts == 2


CONTRAST = """
const light = (text) => {
  const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (node) => {
  for (let each = node; each; each = each.parentElement) {
    const color = getComputedStyle(each).backgroundColor;
    if (!color.startsWith('rgba(0, 0, 0, 0')) return color;
  }
  throw new Error('nothing is behind it');
};
return [...document.querySelectorAll('#house *')]
  .filter((node) => node.checkVisibility() && !node.disabled && !node.closest('svg') &&
    [...node.childNodes].some((each) => each.nodeType === 3 && each.data.trim()))
  .map((node) => {
    const pair = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => a - b);
    return [(pair[1] + 0.05) / (pair[0] + 0.05), node.textContent.slice(0, 40)];
  }).sort((a, b) => a[0] - b[0]).slice(0, 5);
"""


async def test_on_a_phone_in_light_and_in_dark(
    tmp_path: Path, browser: Browser, request: pytest.FixtureRequest
) -> None:
    async with busy(tmp_path, HOLD, "rpm = 60") as (gateway, _, _, _), AsyncExitStack() as stack:
        for number, name in enumerate(AGENTS, 1):
            await stack.enter_async_context(asked(gateway, name))
            await gateway.waiting(number)
        await told(gateway, f"/api/requests/{(await status(gateway))['requests'][-1]['id']}/cancel")
        await browser.enter(gateway)
        await browser.until_rows("#requests", lambda rows: len(rows) == 3)
        await browser.until_rows("#ended", lambda rows: len(rows) == 1)
        await browser.until_rows("#model-table", lambda rows: len(rows) == 1)
        await browser.click("#ended button")
        await browser.until("return !document.querySelector('#detail').hidden")
        await browser.js(HOUR)
        backs, pictures = [], {}
        for scheme in ("light", "dark"):
            await browser.scheme(scheme)
            for name, size in (("desktop", DESKTOP), ("phone", PHONE)):
                await browser.size(size, phone=name == "phone")
                await browser.until("return innerWidth === arguments[0]", size[0])
                wide = await browser.js(
                    "return [document.documentElement.scrollWidth, innerWidth,"
                    "[...document.querySelectorAll('#house button')].filter(each => "
                    "each.checkVisibility() &&"
                    " each.getBoundingClientRect().right > innerWidth).length]"
                )
                assert wide[0] <= size[0], (scheme, name)  # a scroll bar takes some
                assert wide[1:] == [size[0], 0], (scheme, name)
                assert (await browser.js(CONTRAST))[0][0] >= 4.5, (scheme, name)
                await browser.js("scrollTo({top: 0, behavior: 'instant'})")
                pictures[f"page-{name}-{scheme}"] = await browser.picture()
            backs.append(await browser.js("return getComputedStyle(document.body).backgroundColor"))
        assert len(set(backs)) == 2
        # A phone's cards are still a table to a screen reader.
        roles = [role for role, _ in await browser.tree()]
        assert "table" in roles and "row" in roles and "cell" in roles
        keep_pictures(request.config, pictures)


def keep_pictures(config: pytest.Config, pictures: dict[str, bytes]) -> None:
    """Write the pictures that the docs show, if that was asked for."""
    shown = ("page-desktop-light", "page-desktop-dark", "page-phone-light")
    assert all(pictures[name].startswith(b"\x89PNG") for name in shown)
    if config.getoption("--screenshots"):
        PICTURES.mkdir(exist_ok=True)
        for name in shown:
            (PICTURES / f"{name}.png").write_bytes(pictures[name])


async def test_a_gateway_that_goes_is_told(tmp_path: Path, browser: Browser) -> None:
    async with running(tmp_path) as gateway:
        await browser.enter(gateway)
        assert await browser.js("return document.querySelector('#lost').hidden")
    lost = "return document.querySelector('#lost').innerText.includes('no gateway answers')"
    await browser.until(lost)
