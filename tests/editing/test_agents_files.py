"""Files as agents have them: what an edit adds or replaces, and that its undo leaves no trace."""

from __future__ import annotations

import pytest

from holdgate.core.editing.base import Item, Path, first_missing
from holdgate.core.editing.table import EDITORS
from holdgate.core.editing.undoing import undone
from tests.editing.laws import check_edit

CLAUDE_CODE = """\
{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(git status)", "Read(~/notes/**)"],
    "deny": []
  },
  "env": {
    "BASH_DEFAULT_TIMEOUT_MS": "60000"
  },
  "model": "opus"
}
"""
OPENCODE = """\
{
\t"$schema": "https://opencode.ai/config.json", // for editors
\t/* what I like */
\t"theme": "tokyonight",
\t"provider": {
\t\t// my own box
\t\t"local": {
\t\t\t"npm": "@ai-sdk/openai-compatible",
\t\t\t"options": {"baseURL": "http://box:8080/v1",},
\t\t},
\t},
\t// "model": "local/old",
}
"""
ZED = """\
// Zed settings
//
// For information on how to configure Zed, see the Zed documentation.
{
  "ui_font_size": 16,
  "theme": {
    "mode": "system", // or "light"
    "dark": "One Dark"
  },
  "agent": {}
  // the end
}
"""
CODEX = """\
# mine
[projects."/a b"]
trust_level = "trusted"

[mcp_servers.docs]  # local
command = "npx"
args = ["-y", "docs"]

# notices
[notice]
hide_full_access_warning = true
"""
CONTINUE = """\
name: Local Assistant
version: 1.0.0
schema: v1

# what answers
models:
  - name: Sonnet
    provider: anthropic
    roles: [chat, edit]   # not apply

context:
  - provider: code
"""
AIDER = """\
##########################################################
# Sample .aider.conf.yml
#model: xxx

dark-mode: true
read:
- CONVENTIONS.md   # always
"""
PROVIDER = {"name": "Holdgate", "base_url": "http://127.0.0.1:4653/v1", "wire_api": "responses"}


@pytest.mark.parametrize(
    ("kind", "text", "path", "value", "old", "new"),
    [
        ("json", CLAUDE_CODE, ("env", "ANTHROPIC_BASE_URL"), "http://h:1",
         '"60000"\n', '"60000",\n    "ANTHROPIC_BASE_URL": "http://h:1"\n'),
        ("json", CLAUDE_CODE, ("model",), "m", '"opus"', '"m"'),
        ("json", CLAUDE_CODE, ("permissions", "allow", 2), "Edit",
         '(~/notes/**)"]', '(~/notes/**)", "Edit"]'),
        ("json", CLAUDE_CODE, ("permissions", "deny", 0), "Edit",
         '"deny": []', '"deny": [\n      "Edit"\n    ]'),
        ("json", "{}\n", ("env", "A"), "1", "{}", '{\n  "env": {\n    "A": "1"\n  }\n}'),
        ("json", '{"env":{"A":"1"}}', ("env", "B"), "2", '"1"}', '"1","B":"2"}'),
        ("json", OPENCODE, ("model",), "holdgate/m",
         '\t},\n\t//', '\t},\n\t"model": "holdgate/m",\n\t//'),
        ("json", OPENCODE, ("provider", "holdgate"), {"models": {"m": {}}}, "\t\t},\n\t},",
         '\t\t},\n\t\t"holdgate": {\n\t\t\t"models": {\n\t\t\t\t"m": {}\n\t\t\t}\n\t\t},\n\t},'),
        ("json", OPENCODE, ("provider", "local", "options", "apiKey"), "k",
         '/v1",}', '/v1", "apiKey": "k",}'),
        ("json", ZED, ("agent", "default_model"), {"provider": "openai"}, '"agent": {}',
         '"agent": {\n    "default_model": {\n      "provider": "openai"\n    }\n  }'),
        ("json", ZED, ("telemetry",), False,
         '{}\n  // the end', '{},\n  "telemetry": false\n  // the end'),
        ("json", ZED, ("theme", "dark"), "B", '"One Dark"', '"B"'),
        ("toml", CODEX, ("model_provider",), "holdgate",
         "# mine\n", 'model_provider = "holdgate"\n\n# mine\n'),
        ("toml", "# about me\n\n" + CODEX, ("model",), "m",
         "# about me\n\n", '# about me\n\nmodel = "m"\n\n'),
        ("toml", 'model = "a"  # best\n' + CODEX, ("model_provider",), "holdgate",
         "# best\n", '# best\nmodel_provider = "holdgate"\n'),
        ("toml", CODEX, ("projects", "/a b", "trust_level"), "untrusted",
         '"trusted"', '"untrusted"'),
        ("toml", CODEX, ("model_providers", "holdgate"), PROVIDER, "warning = true\n",
         'warning = true\n\n[model_providers.holdgate]\nname = "Holdgate"\n'
         'base_url = "http://127.0.0.1:4653/v1"\nwire_api = "responses"\n'),
        ("toml", '[[models]]\nid = "a"\n', ("models", Item("id", "b"), "size"), 1,
         '"a"\n', '"a"\n\n[[models]]\nid = "b"\nsize = 1\n'),
        ("toml", 'm = [\n  { id = "a" }, # old\n]\n', ("m", Item("id", "b"), "n"), 1,
         "# old\n", '# old\n  {id = "b", n = 1},\n'),
        ("yaml", CONTINUE, ("models", Item("name", "Holdgate")), {"provider": "openai"},
         "# not apply\n", "# not apply\n  - name: Holdgate\n    provider: openai\n"),
        ("yaml", CONTINUE, ("models", 0, "roles"), ["chat"],
         " [chat, edit]   # not apply", "   # not apply\n      - chat"),
        ("yaml", CONTINUE, ("models", Item("name", "Sonnet"), "apiBase"), "http://h:1/v1/",
         "# not apply\n", '# not apply\n    apiBase: "http://h:1/v1/"\n'),
        ("yaml", AIDER, ("openai-api-base",), "http://h:1/v1",
         "# always\n", '# always\nopenai-api-base: "http://h:1/v1"\n'),
        ("yaml", AIDER, ("read", 1), "no", "# always\n", '# always\n- "no"\n'),
        ("yaml", AIDER, ("dark-mode",), False, "true", "false"),
        ("yaml", "# none yet\n", (0,), 1, "", None),
        ("yaml", "- model_id: a\n", (Item("model_id", "b"), "api_base"), "http://h:1/v1",
         ": a\n", ': a\n- model_id: b\n  api_base: "http://h:1/v1"\n'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_one_place_changes(
    kind: str, text: str, path: Path, value: object, old: str, new: str | None, newline: str
) -> None:
    before = text.replace("\n", newline)
    after = check_edit(EDITORS[kind], before, path, value)
    expected = None if new is None else text.replace(old, new, 1).replace("\n", newline)
    assert after == expected


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("json", CLAUDE_CODE), ("json", OPENCODE), ("json", ZED), ("json", ""), ("json", "{}"),
        ("toml", CODEX), ("toml", ""), ("yaml", CONTINUE), ("yaml", AIDER), ("yaml", ""),
        ("yaml", "---\n# nothing\n"),
    ],
)  # fmt: skip
def test_many_edits_leave_no_trace(kind: str, text: str) -> None:
    editor = EDITORS[kind]
    edits: tuple[tuple[Path, object], ...] = (
        (("model",), "holdgate/m"),
        (("model_providers", "holdgate"), PROVIDER),
        (("model_providers", "holdgate", "query", "a"), 1),
        (("more", "models", Item("name", "m"), "size"), 1),
        (("more", "models", Item("name", "n")), {"size": 2}),
        (("model_provider",), "holdgate"),
    )
    new, undo = text, []
    for path, value in edits:
        if editor.value(new, path) is not editor.value("", ("none",)):
            continue
        undo.append((path, first_missing(editor, new, path)))
        new = editor.with_value(new, path, value)
    assert new != text
    for path, first in reversed(undo):
        new = undone(editor, new, path, first)
    assert new == text
