"""`gateway presets`, as a person types it."""

from __future__ import annotations

import json

import pytest
from click.shell_completion import ShellComplete, get_completion_class
from click.testing import CliRunner, Result

from holdgate.cli.commands.presets import lines_of, rows_of, shape_of
from holdgate.cli.lines import cells, plain
from holdgate.cli.main import build
from holdgate.core.catalog import load_presets

PRESETS = load_presets()


def run(*args: str) -> Result:
    return CliRunner().invoke(build(gui=False), ["presets", *args])


def test_all_in_a_table() -> None:
    done = run()
    assert done.exit_code == 0
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["NAME", "VENDOR", "DIALECTS", "KEY"]
    assert [row.split()[0] for row in rows] == list(PRESETS)
    by_name = {row.split()[0]: row for row in rows}
    assert by_name["deepseek"].endswith("DEEPSEEK_API_KEY")
    assert "Ollama, local" in by_name["ollama"] and by_name["ollama"].endswith("none")
    assert by_name["openai-compatible"].endswith("your own")


@pytest.mark.parametrize("name", PRESETS)
def test_all_about_one(name: str) -> None:
    done = run(name)
    assert done.exit_code == 0, done.output
    preset, text = PRESETS[name], done.stdout
    assert text.startswith(f"{name}  {preset.title}\n\n")
    for told in (*preset.bases.values(), preset.key_env, preset.key_page, preset.notes):
        assert told in text
    for told in (*preset.example.values(), preset.limits_source, *(preset.models or ())):
        assert told in text
    assert text.count("not seen on the vendor's own pages") == len(preset.unverified)


def test_what_there_is_to_say_about_some() -> None:
    assert "30 requests at once (" in run("kimi-code").stdout
    assert "{region}: the AWS region, such as us-east-1" in run("bedrock").stdout
    assert "the vendor has no list" in run("azure").stdout
    assert 'if the server wants one: key = "env:LM_API_TOKEN"' in run("lmstudio").stdout
    assert "web_search in messages" in run("anthropic").stdout
    assert "refuses parallel_tool_calls" in run("google").stdout
    assert run("zai").stdout.endswith(
        "like it    zai-coding\nset it up  gateway provider add zai\n"
    )
    assert "gateway provider add azure --model ID\n" in run("azure").stdout
    add = "gateway provider add NAME --preset openai-compatible --url URL\n"
    assert add in run("openai-compatible").stdout


def test_a_word_of_a_name_or_a_title() -> None:
    names = [line.split()[0] for line in run("QWEN").stdout.splitlines()[1:]]
    assert names == ["dashscope", "dashscope-cn", "dashscope-coding", "dashscope-coding-cn"]
    assert run("bigmodel").stdout.startswith("NAME")
    assert run("doubao").stdout.startswith("volcengine")
    assert run("OpenAI").stdout.startswith("openai  OpenAI\n")


@pytest.mark.parametrize(
    ("word", "says"), [("olama", 'did you mean "ollama"?'), ("qqq", "all of them: gateway presets")]
)
def test_nobody_is_called_so(word: str, says: str) -> None:
    done = run(word)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{word}: no preset") and says in done.stderr


def test_json() -> None:
    found = json.loads(run("--json").stdout)["presets"]
    assert [each["name"] for each in found] == list(PRESETS)
    (azure,) = json.loads(run("azure", "--json").stdout)["presets"]
    assert azure["asks"] == {"resource": {"text": "name of the Azure resource", "default": ""}}
    assert azure["quirks"] == [{"name": "openai", "says": "takes all that OpenAI's own Chat takes"}]
    assert (azure["local"], azure["dialects"]) == (False, ["chat", "responses", "messages"])
    assert len(json.loads(run("qwen", "--json").stdout)["presets"]) == 4


def test_the_shape_is_as_the_help_says() -> None:
    documented = run("--help").stdout
    for name in shape_of(PRESETS["openai"]):
        assert f'"{name}"' in documented


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_it_fits_the_screen(width: int) -> None:
    lines = rows_of(list(PRESETS.values()), width)
    for preset in PRESETS.values():
        lines += lines_of(preset, ["another"], width)
    assert max(cells(plain(line)) for line in lines) <= width


def test_a_shell_completes_the_names() -> None:
    kind = get_completion_class("bash")
    assert kind is not None
    made: ShellComplete = kind(build(gui=True), {"obj": {"gui": True}}, "gateway", "_GATEWAY")
    found = made.get_completions(["presets"], "mi")
    assert [item.value for item in found] == ["minimax", "minimax-cn", "mistral"]
    assert found[2].help == "Mistral AI"
