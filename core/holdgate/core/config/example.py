"""Examples of config.toml: what a new file begins with, and the part of the reference on names."""

from __future__ import annotations

STARTER = """\
# The configuration of Holdgate. Changes apply within two seconds; `gateway config check` tells
# what is wrong, and docs/configuration.md what there is to set.

# [providers.deepseek]
# preset = "deepseek"            # or anthropic, google, openai, openrouter, ollama, ...
# key = "env:DEEPSEEK_API_KEY"   # or "keyring:NAME", "file:PATH", or the key itself
# concurrency = 4                # requests at the vendor at once

# [routes.coder]                 # agents ask for the model "coder"
# candidates = ["deepseek/deepseek-flash"]
"""

NAMED_TABLES = """\
[providers.deepseek]             # the name is what agents write before the slash
preset = "deepseek"              # base URLs and quirks from the catalogue; each field overrides it
key = "env:DEEPSEEK_API_KEY"     # or "keyring:NAME", "file:PATH", or the key itself
concurrency = 4                  # requests at the vendor at once, for each key
rpm = 60                         # requests sent in any rolling window, for each key
tpm = 0                          # tokens in the same window; 0: no limit
window = "60s"                   # that window
queue_wait = "2m"                # overrides [queue] wait
queue_length = 50                # overrides [queue] length
models = ["deepseek-flash"]       # absent: the vendor is asked for its list

[providers.relay]                # no preset: one or more base URLs, each names a dialect it speaks
chat = "https://relay.example/v1"
messages = "https://relay.example/anthropic"
responses = "https://relay.example/v1"
gemini = "https://relay.example"
keys = [
  { name = "home", value = "env:RELAY_HOME", concurrency = 2 },
  { name = "work", value = "env:RELAY_WORK", rpm = 20, on = false },
]
models = [
  "claude-haiku-5",
  { id = "sonnet", vendor_id = "claude-sonnet-5", context = 200000, dialects = ["messages"] },
]
headers = { "X-Team" = "a" }
proxy = "http://127.0.0.1:8080"  # or "socks5h://..." or "direct"
ca = "~/company.pem"             # authorities to trust besides the system's
connect_timeout = "10s"
first_byte_timeout = "10m"
idle_timeout = "5m"

[routes.coder]                   # agents ask for the model "coder"
candidates = ["deepseek/deepseek-flash", "relay/sonnet"]
order = "given"                  # given | rotate | least-busy
affinity = "auto"                # auto | conversation | off

[callers.background]             # how a caller is treated
match = { agent = "claude-code", model = "*haiku*" }
priority = "background"          # foreground | background
hold = { open_after = "4m" }     # any key of [hold]
queue = { wait = "1h" }          # any key of [queue]
"""
