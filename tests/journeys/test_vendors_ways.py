"""Ways of real vendors over which the first minutes with one must not stumble."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from holdgate.core.doctor.trying_agent import Trial, try_agent
from tests.cli.inside import inside
from tests.cli.serving import configure
from tests.fakes.agents import get, post
from tests.fakes.proxies import HttpProxy
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import VENDOR_KEY, asking, done, provider, running
from tests.journeys.test_provider_add import add, found, refused

CHAT = "*/chat/completions"
CHAT_ONLY = ("/v1/chat/completions", "/v1/models")
USE_NEW = {
    "error": {
        "message": "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        "type": "invalid_request_error",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    }
}
NO_CHAT = {"error": {"message": "This is not a chat model", "code": "model_not_found"}}
NO_KEY = {"base_resp": {"status_code": 1004, "status_msg": "login fail: carry the API key"}}
KEYS = {"FAKE_KEY": VENDOR_KEY}


async def test_a_model_that_wants_the_new_name_of_the_limit(tmp_path: Path) -> None:
    async with FakeVendor(paths=CHAT_ONLY) as vendor:
        vendor.script(Reply(400, json=USE_NEW), path=CHAT)
        assert (await add(tmp_path, "new", "--url", vendor.url)).code == 0
        asked = [seen.json for seen in vendor.requests if seen.path.startswith("/v1/chat")]
        limits = [set(each) & {"max_tokens", "max_completion_tokens"} for each in asked]
        assert limits == [{"max_tokens"}, {"max_completion_tokens"}]

        vendor.script(Reply(400, json=USE_NEW), path=CHAT)
        tested = await inside(tmp_path, "provider", "test", "new", more=KEYS)
        assert (tested.code, "HTTP 200" in tested.out) == (0, True), tested


async def test_such_a_model_and_an_agent_that_the_doctor_tries(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        vendor.script(Reply(400, json=USE_NEW), path=CHAT)
        async with running(tmp_path, provider(vendor.url, dialects=("chat",))) as gateway:
            trial = Trial("opencode", "chat", gateway.url, "fake/fake-model")
            answer = await asyncio.to_thread(try_agent, trial, gateway.state, 10.0)
            assert (answer.status, answer.words) == (200, "")


async def test_lists_that_begin_with_what_does_not_chat(tmp_path: Path) -> None:
    models = ["text-embedding-3", "codex-mini", "gpt-5", "whisper-1"]
    table = provider("URL", dialects=("chat",)).replace('models = ["fake-model"]\n', "")
    async with FakeVendor(paths=CHAT_ONLY, models=models) as vendor:
        configure(tmp_path, table.replace("URL", vendor.url))
        vendor.script(Reply(404, json=NO_CHAT), path=CHAT)
        tested = await inside(tmp_path, "provider", "test", "fake", more=KEYS)
        assert tested.code == 0 and "gpt-5" in tested.out, tested
        # The one that was named is the one that is asked.
        vendor.script(Reply(404, json=NO_CHAT), path=CHAT)
        named = await inside(tmp_path, "provider", "test", "fake", "-m", "codex-mini", more=KEYS)
        assert named.code == 1 and "not a chat model" in named.out, named


async def test_an_error_with_a_good_status_has_words(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        vendor.script(*[Reply(json=NO_KEY)] * 20)
        done = await add(tmp_path, "new", "--url", vendor.url)
        refused(done, "wrong key", "login fail: carry the API key")


async def test_answers_that_are_compressed_unasked(tmp_path: Path) -> None:
    async with FakeVendor(paths=CHAT_ONLY) as vendor:
        vendor.script(Reply(encode="gzip"), path="*/models")
        vendor.script(Reply(encode="gzip"), path=CHAT)
        done = await add(tmp_path, "new", "--chat", f"{vendor.url}/v1")
        assert done.code == 0 and "1 model: fake-model" in done.out, done
        broken = Reply(headers={"Content-Encoding": "gzip"}, text="no gzip")
        vendor.script(broken, path=CHAT)
        tested = await inside(tmp_path, "provider", "test", "new", more=KEYS)
        assert tested.code == 1 and "cannot be read" in tested.out, tested


async def test_a_plain_vendor_behind_a_proxy_that_wants_a_password(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, HttpProxy(vendor.port, ("me", "proxy-pw-51d0")) as proxy:
        plain = f"http://127.0.0.1:{proxy.port}"
        why = f"through the proxy {plain}: the proxy wants a user and password"
        asks = "new", "--chat", "http://vendor.lan/v1", "--proxy"
        refused(await add(tmp_path, *asks, plain), "proxy: check the proxy", why)
        table = provider("http://vendor.lan", f'proxy = "{plain}"', dialects=("chat",))
        async with running(tmp_path, table) as gateway:
            path, upload = asking("chat")
            told = (await post(gateway.url + path, upload=upload)).json["error"]["message"]
            assert why in told and "key refused" not in told
            (tested,) = (await done(gateway, "/api/providers/fake/test"))["tests"]
            assert why in tested["reason"]
        assert vendor.requests == []
        added = await add(tmp_path, *asks, proxy.url)
        assert added.code == 0 and "proxy-pw" not in added.out + added.err, added


async def test_names_of_models_are_shown_harmlessly(tmp_path: Path) -> None:
    async with FakeVendor(paths=CHAT_ONLY, models=["e\x1b[31m\nvil; rm"]) as vendor:
        done = await add(tmp_path, "new", "--url", vendor.url)
        assert done.code == 0 and "\x1b" not in done.out
        assert done.out.rstrip("\n").splitlines()[-1].startswith("then, for instance: ")


async def test_an_address_that_is_none(tmp_path: Path) -> None:
    for wrong in ("relay.example/v1", "https://u:pw-51d0@relay.example", "ftp://x", "http://a b"):
        done = await add(tmp_path, "new", "--url", wrong)
        assert (done.code, done.err.startswith("--url '")) == (2, True), done
        assert "http:// or https:// address" in done.err and "pw-51d0" not in done.err
    async with FakeVendor(paths=CHAT_ONLY) as vendor:
        url = f" {vendor.url}/v1/chat/completions?api-version=1#top "
        assert (await add(tmp_path, "new", "--url", url)).code == 0
        assert found(tmp_path) == {"chat": f"{vendor.url}/v1"}


async def test_a_key_where_its_place_should_stand(tmp_path: Path) -> None:
    key = "sk-test-51d0b2c6e8"
    for args in (
        ("provider", "add", "openai", "--key-env", key),
        ("provider", "add", "openai", "--key-file", key),
        ("provider", "add", key),
        ("provider", "add", "openai", "--no-test", "--key-env", key),
    ):
        done = await inside(tmp_path, *args)
        assert done.code and key not in done.out + done.err, done
    assert not (tmp_path / "config" / "config.toml").exists()


async def test_the_same_name_added_twice_at_once(tmp_path: Path) -> None:
    async with FakeVendor(paths=CHAT_ONLY) as vendor:
        typed = [f"sk-test-number-{n}\n" for n in (1, 2)]
        args = ("new", "--url", vendor.url, "--key-stdin")
        seen = asyncio.Event()
        vendor.script(Reply(until=seen), path="*/models")
        first = asyncio.create_task(add(tmp_path, *args, typed=typed[0], key=""))  # noqa: TID251
        await vendor.arrived(1)
        assert (await add(tmp_path, *args, typed=typed[1], key="")).code == 0
        seen.set()
        late = await first
        assert late.code == 2 and "is there already" in late.err, late
        keys = tmp_path / "config" / "keys"
        assert sorted(each.name for each in keys.iterdir()) == [".gitignore", "new"]
        assert (keys / "new").read_text() == typed[1]


async def test_a_wrong_key_is_told_where_its_list_is_refused_too(tmp_path: Path) -> None:
    table = provider("URL", dialects=("chat", "responses")).replace('models = ["fake-model"]\n', "")
    async with FakeVendor(keys=["another"]) as vendor:
        configure(tmp_path, "[server]\nport = 0\n" + table.replace("URL", vendor.url))
        tested = await inside(tmp_path, "provider", "test", "fake", more=KEYS)
        assert tested.code == 1 and tested.out.count("FAIL") == 2 and "HTTP 401" in tested.out, (
            tested
        )
        assert "--model" not in tested.out + tested.err
        listed = await inside(tmp_path, "models", more=KEYS)
        assert "HTTP 401" in listed.err and "gave no list" in listed.out
        looked = await inside(tmp_path, "doctor", "fake", "--json", more=KEYS)
        checks = json.loads(looked.out)["checks"]
        (failed,) = [each for each in checks if each["state"] == "fail"]
        assert failed["name"] == "request chat, responses" and "another key" in failed["todo"]
        assert VENDOR_KEY not in listed.err + looked.out


async def test_what_is_no_answer_passes_no_test(tmp_path: Path) -> None:
    moved = Reply(302, headers={"Location": "https://new.example/v1?key=x"}, text="")
    async with FakeVendor(paths=CHAT_ONLY) as vendor:
        configure(tmp_path, provider(vendor.url, dialects=("chat",)))
        for reply, words in (
            (Reply(json=NO_KEY), "login fail"),
            (Reply(json={"ok": True}), "no answer; check the base URL"),
            (moved, "HTTP 302 to https://new.example/v1; check the base URL"),
            (Reply(404, {"Content-Type": "text/html"}, text="<html>"), "404 with a web page"),
        ):
            vendor.script(reply, path=CHAT)
            tested = await inside(tmp_path, "provider", "test", "fake", more=KEYS)
            assert tested.code == 1 and words in tested.out, (words, tested)


async def test_lists_that_cannot_be_kept_are_shown(tmp_path: Path) -> None:
    table = provider("URL", dialects=("chat",)).replace('models = ["fake-model"]\n', "")
    async with FakeVendor() as vendor:
        configure(tmp_path, table.replace("URL", vendor.url))
        (tmp_path / "cache" / "model_lists.json").mkdir(parents=True)
        listed = await inside(tmp_path, "models", more=KEYS)
        assert "fake/fake-model" in listed.out, listed


async def test_the_running_gateway_chooses_as_well(tmp_path: Path) -> None:
    models = ["text-embedding-3", "gpt-5", "whisper-1"]
    table = provider("URL", dialects=("chat",)).replace('models = ["fake-model"]\n', "")
    async with (
        FakeVendor(paths=CHAT_ONLY, models=models) as vendor,
        running(tmp_path, table.replace("URL", vendor.url)) as gateway,
    ):
        for _ in range(2):  # with the list that it has by then, too
            (tested,) = (await done(gateway, "/api/providers/fake/test"))["tests"]
            assert tested["model"] == "gpt-5"
            await get(gateway.url + "/v1/models")


async def test_the_doctor_tells_a_cause_once(tmp_path: Path) -> None:
    table = provider("http://127.0.0.1:1", dialects=("chat", "messages"))
    async with running(tmp_path, table) as gateway:
        told = json.loads((await inside(tmp_path, "doctor", "fake", "--json", more=KEYS)).out)
        failed = [each["name"] for each in told["checks"] if each["state"] == "fail"]
        assert failed == ["connection"], told
        assert gateway.url


async def test_what_is_sent_is_told_by_no_echo(tmp_path: Path) -> None:
    secret = "tenant-51d0c2"
    echo = Reply(401, json={"error": {"message": f"no {VENDOR_KEY} of {secret}"}})
    table = provider("URL", f'headers = {{ X-Tenant = "{secret}" }}', dialects=("chat",))
    async with FakeVendor() as vendor:
        lists = table.replace("URL", vendor.url).replace('models = ["fake-model"]\n', "")
        configure(tmp_path, "[server]\nport = 0\n" + lists)
        for args in (("provider", "test", "fake"), ("models",), ("doctor", "fake")):
            vendor.script(echo, echo, path="*")
            told = await inside(tmp_path, *args, more=KEYS)
            assert "HTTP 401" in told.out + told.err, told
            assert secret not in told.out + told.err and VENDOR_KEY not in told.out + told.err
