"""Whose models are whose: presets of the catalogue by what models.dev calls that vendor."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# A preset that is not here is looked for under its own name. "": how much fits in is decided on the
# machine where it runs, so that nothing is known of it.
BY_PRESET: Mapping[str, str] = MappingProxyType(
    {
        "bedrock": "amazon-bedrock",
        "dashscope": "alibaba",
        "dashscope-cn": "alibaba-cn",
        "dashscope-coding": "alibaba-coding-plan",
        "dashscope-coding-cn": "alibaba-coding-plan-cn",
        "fireworks": "fireworks-ai",
        "kimi-code": "kimi-code-plan-cn",
        "llama-cpp": "",
        "lmstudio": "",
        "moonshot": "moonshotai",
        "moonshot-cn": "moonshotai-cn",
        "ollama": "",
        "stepfun-plan": "stepfun-step-plan",
        "together": "togetherai",
        "vllm": "",
        "volcengine-coding": "volcengine-coding-plan",
        "zai-coding": "zai-coding-plan",
        "zhipu": "zhipuai",
        "zhipu-coding": "zhipuai-coding-plan",
    }
)

# Presets of no vendor: whatever speaks a dialect.
GENERIC = frozenset({"", "openai-compatible", "anthropic-compatible"})

# Who makes models, by what stands before the slash in `anthropic/claude-...`; their own vendors.
MAKERS: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "anthropic",
        "openai": "openai",
        "google": "google",
        "deepseek": "deepseek",
        "deepseek-ai": "deepseek",
        "x-ai": "xai",
        "xai": "xai",
        "mistralai": "mistral",
        "mistral": "mistral",
        "moonshotai": "moonshotai",
        "z-ai": "zai",
        "zai": "zai",
        "zai-org": "zai",
        "minimax": "minimax",
        "minimaxai": "minimax",
        "qwen": "alibaba",
        "alibaba": "alibaba",
        "stepfun": "stepfun",
        "stepfun-ai": "stepfun",
    }
)

# What of models.dev is kept.
VENDORS = frozenset(
    {
        *(vendor for vendor in BY_PRESET.values() if vendor),
        *MAKERS.values(),
        *(
            "azure",
            "baseten",
            "cerebras",
            "chutes",
            "cohere",
            "deepinfra",
            "github-copilot",
            "groq",
        ),
        *("huggingface", "minimax-cn", "minimax-cn-coding-plan", "minimax-coding-plan"),
        *(
            "kimi-code-plan-global",
            "modelscope",
            "nebius",
            "novita-ai",
            "nvidia",
            "ollama-cloud",
            "openrouter",
        ),
        *(
            "stepfun-ai-step-plan",
            "perplexity",
            "siliconflow",
            "siliconflow-cn",
            "vercel",
            "volcengine",
            "xiaomi",
        ),
    }
)


def vendor_of(preset: str) -> str:
    """Give what models.dev calls a preset's vendor; "" where nothing is to be known of it."""
    return BY_PRESET.get(preset, preset)


def is_unknowable(preset: str) -> bool:
    """Tell whether a preset's models are run by the person, who decides how much fits in."""
    return BY_PRESET.get(preset) == ""
