"""The first five minutes of each kind of user, with the agents that are installed here.

    .venv/bin/python tools/five_minutes.py [--path DIR]... [--keep]

Each user has a fresh home; the vendor is the one of the tests, which enforces limits. Agents are
looked for in the DIRs and on the PATH. The last one connects all of them, with settings as people
have them, asks each, and ends with every settings file as it was, byte by byte. Nothing of yours is
read or written; agents may try to reach their makers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path

from five_minutes_stage import BIN, GATEWAY, Failed, Stage, lan_address

from tests.fakes.vendor import FakeVendor, Reply
from tests.fakes.vendor_replies import TEXT

MODEL = "fake-model"
BODY = json.dumps(
    {"model": MODEL, "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}
)
PROMPT = "Say hello in one sentence."

# How each agent takes one question and ends.
HEADLESS: dict[str, tuple[str, ...]] = {
    "claude-code": ("-p", PROMPT),
    "codex": ("exec", "--skip-git-repo-check", PROMPT),
    "gemini-cli": ("--yolo", "-p", PROMPT),
    "opencode": ("run", PROMPT),
    "kilo": ("run", PROMPT),
    "qwen-code": ("--yolo", "-p", PROMPT),
    "pi": ("-p", PROMPT),
    "cline": ("--json", PROMPT),
    "copilot": ("-p", PROMPT, "--allow-all-tools", "--no-auto-update"),
    "continue": ("--auto", "-p", PROMPT),
    "codebuddy": ("-p", PROMPT, "--dangerously-skip-permissions"),
    "aider": ("--message", PROMPT, "--no-git", "--yes-always", "--no-check-update"),
    "llm": ("-m", "holdgate/coder", PROMPT),
    "droid": ("exec", PROMPT),
    "kimi-code": ("-p", PROMPT),
}
# Settings as people have them: comments, odd spacing, keys that nobody knows.
SETTINGS = {
    ".claude/settings.json": '{\n    "permissions" : {"allow": ["Bash(ls:*)"]},\n\t"mine": 1\n}',
    ".codex/config.toml": '# mine\nmodel = "gpt-5"   # the usual\n\n[projects."/home/me/a b"]\n'
    'trust_level = "trusted"\n',
    ".gemini/settings.json": '{\n  // quiet\n  "ui": {"hideTips": true}\n}\n',
    ".config/opencode/opencode.jsonc": '{\n  "$schema": "https://opencode.ai/config.json",\n'
    '  // of mine\n  "share": "disabled",\n}\n',
    ".qwen/settings.json": '{"general":{"disableAutoUpdate":true}}',
    ".continue/config.yaml": "name: mine  # the name\nversion: 1.0.0\nschema: v1\n",
    ".aider.conf.yml": "# aider\nauto-commits: false\n\nanalytics: false\n",
}


async def agents_here(stage: Stage) -> dict[str, str]:
    """Give the agents that are installed and can be asked here, each with its program."""
    told = json.loads(await stage.gateway("agents", "--json"))["agents"]
    found = {each["name"]: each["program"] for each in told if each["program"]}
    return {name: found[name] for name in HEADLESS if name in found}


async def can_run(stage: Stage, name: str) -> bool:
    code, _ = await stage.run(GATEWAY, "run", name, "-m", "x", "--dry-run")
    return code == 0


async def one_key_three_agents(stage: Stage) -> str:
    await stage.add("anthropic", "--messages", stage.vendor.url, "--concurrency", "1")
    agents = [each for each in await agents_here(stage) if await can_run(stage, each)][:3]
    async with stage.serving():
        model = f"anthropic/{MODEL}"
        async with asyncio.TaskGroup() as group:
            for name in agents:
                words = (GATEWAY, "run", name, "-m", model, "--", *HEADLESS[name])
                group.create_task(stage.answers(*words))
    if stage.vendor.violations or stage.vendor.highest != 1:
        raise Failed(f"{stage.vendor.violations} were over the limit of 1 at once")
    return f"{', '.join(agents)} at once, {len(stage.vendor.requests)} requests, no 429"


async def several_vendors(stage: Stage) -> str:
    async with FakeVendor() as sick:
        for name, url in (("deepseek", stage.vendor.url), ("relay", sick.url)):
            await stage.add(name, "--chat", f"{url}/v1")
        sick.script(*[Reply(503) for _ in range(50)])
        await stage.gateway("route", "add", "coder", f"relay/{MODEL}", f"deepseek/{MODEL}")
        before = len(sick.requests), len(stage.vendor.requests)
        async with stage.serving():
            await stage.answers(GATEWAY, "run", "claude", "--", *HEADLESS["claude-code"])
        after = len(sick.requests), len(stage.vendor.requests)
    if before[0] == after[0] or before[1] == after[1]:
        raise Failed(f"only one of them was asked: {before} became {after}")
    return "Claude Code on the route coder: Messages told in Chat, the second vendor answered"


async def lines_to_paste(stage: Stage) -> str:
    await stage.add("relay", "--url", stage.vendor.url)
    script = (
        f'eval "$({GATEWAY} env openai --shell bash)" && curl -s $OPENAI_BASE_URL/chat/completions '
        f"-H \"Authorization: Bearer $OPENAI_API_KEY\" -d '{BODY}'"
    )
    async with stage.serving() as port:
        # Without a running gateway the lines are those of the configuration.
        lines = await stage.gateway("env", "openai", "--shell", "bash")
        if f":{port}/v1" not in lines:
            raise Failed(f"not the running gateway's address: {lines}")
        await stage.answers("bash", "-c", script)
    return "bash, by the lines of gateway env openai"


async def a_second_laptop(stage: Stage) -> str:
    address = lan_address()
    if not address:
        return "LEFT OUT: this machine has no address in a network"
    await stage.add("anthropic", "--messages", stage.vendor.url)
    said = await stage.gateway("keys", "add", "second laptop")
    key = said.split()[0]
    laptop = Stage(stage.home / "laptop", stage.path, stage.vendor, {"ITS_KEY": key})
    laptop.home.mkdir()
    async with stage.serving("--lan") as port:
        url = f"http://{address}:{port}"
        told = ("-m", f"anthropic/{MODEL}", "--url", url, "--key-env", "ITS_KEY")
        words = (GATEWAY, "run", "claude", *told, "--", *HEADLESS["claude-code"])
        await laptop.answers(*words)
        laptop.more["ITS_KEY"] = key[:-1] + ("0" if key[-1] != "0" else "1")
        code, said = await laptop.run(*words, limit=60)
        if code == 0 or TEXT in said:
            raise Failed("a wrong key got an answer")
    return f"Claude Code from {address} with a gateway key; a wrong one is refused"


async def headless(stage: Stage) -> str:
    await stage.add("relay", "--url", stage.vendor.url)
    async with stage.serving(program="gateway-nogui"):
        lines = f'eval "$({BIN}/gateway-nogui env anthropic --shell bash)"'
        ask = f"curl -s $ANTHROPIC_BASE_URL/v1/messages -d '{BODY}'"
        await stage.answers("bash", "-c", f"{lines} && {ask}")
    return "gateway-nogui serve, asked by curl"


async def there_and_back(stage: Stage) -> str:
    for name, text in SETTINGS.items():
        file = stage.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    await stage.add("relay", "--url", stage.vendor.url)
    await stage.gateway("route", "add", "coder", f"relay/{MODEL}")
    programs = await agents_here(stage)
    async with stage.serving():
        # At its first start an agent writes into its settings itself: the second round counts.
        _, _, theirs, _ = await there_and_back_once(stage, programs)
        tell(*(f"    written by the agent at its first start: {each}" for each in theirs))
        wired, files, changed, wrong = await there_and_back_once(stage, programs)
    if wrong or changed:
        raise Failed("\n    ".join([*wrong, *changed]))
    return f"{', '.join(wired)}: {len(files)} files changed, and are as they were"


async def there_and_back_once(
    stage: Stage, programs: Mapping[str, str]
) -> tuple[list[str], set[Path], list[str], list[str]]:
    """Connect, ask and disconnect all; give who and which files, what changed, what was wrong."""
    before = snapshot(stage.home)
    wired, files, wrong = await connected(stage, programs)
    for name in wired:
        try:
            await stage.answers(programs[name], *HEADLESS[name])
        except Failed as failure:
            wrong.append(f"{name}: {failure}")
    await stage.gateway("disconnect", "--all")
    after = snapshot(stage.home)
    changed = [
        f"{file}: {before.get(file)!r} became {after.get(file)!r}"
        for file in sorted(files)
        if before.get(file) != after.get(file)
    ]
    return wired, files, changed, wrong


async def connected(stage: Stage, names: Iterable[str]) -> tuple[list[str], set[Path], list[str]]:
    """Connect all that can be; give their names, the files that changed, and what was wrong."""
    wired, files, wrong = [], set[Path](), []
    for name in names:
        code, said = await stage.run(GATEWAY, "connect", name, "--json")
        if code:
            tell(f"    {said.strip()}")
            continue
        wired.append(name)
        files |= {
            Path(each["file"]).relative_to(stage.home) for each in json.loads(said)["changed"]
        }
        if "already" not in await stage.gateway("connect", name):
            wrong.append(f"{name}: connected twice is not connected once")
    return wired, files, wrong


def snapshot(folder: Path) -> dict[Path, bytes]:
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def tell(*lines: str) -> None:
    for line in lines:
        print(line, flush=True)


USERS: dict[str, Callable[[Stage], Awaitable[str]]] = {
    "one key, three agents": one_key_three_agents,
    "several vendors": several_vendors,
    "lines to paste": lines_to_paste,
    "a second laptop": a_second_laptop,
    "a headless box": headless,
    "there and back again": there_and_back,
}


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--path", action="append", default=[], metavar="DIR")
    parser.add_argument("--only", default="", help="words in the names of the users")
    parser.add_argument("--keep", action="store_true", help="leave the homes where they are")
    options = parser.parse_args()
    path = os.pathsep.join([*options.path, os.environ.get("PATH", "")])
    failed = 0
    for name, play in USERS.items():
        if options.only not in name:
            continue
        home = Path(tempfile.mkdtemp(prefix="five-minutes-"))
        began = time.monotonic()
        try:
            async with FakeVendor(limit_concurrent=1 if "three" in name else 0) as vendor:
                said, mark = await play(Stage(home, path, vendor)), "ok  "
        except Failed as failure:
            said, mark = str(failure), "FAIL"
        except ExceptionGroup as group:
            said, mark = "; ".join(map(str, group.exceptions)), "FAIL"
        failed += mark == "FAIL"
        tell(f"{mark} {name} ({time.monotonic() - began:.0f} s): {said}")
        if options.keep:
            tell(f"    {home}")
        else:
            shutil.rmtree(home, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
