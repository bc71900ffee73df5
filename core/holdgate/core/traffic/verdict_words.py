"""Verdict words: what vendors' messages mean, for errors that have no code of their own.

Theory. A vendor's message may quote the agent's text, so each pattern must fit the *beginning* of
the message (wrappers of relays are off by then) and go on until nothing else can be meant; and each
kind is looked for only with the statuses that vendors give it. Parts that vary are bounded, so that
no message takes long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from holdgate.core.values.errors import FaultKind


@dataclass(frozen=True, slots=True)
class Wording:
    """The messages of one kind, and the statuses with which they count."""

    kind: FaultKind
    statuses: frozenset[int]
    signs: re.Pattern[str]


def _wording(kind: FaultKind, statuses: str, *signs: str) -> Wording:
    pattern = re.compile("|".join(signs), re.I | re.S)
    return Wording(kind, frozenset(map(int, statuses.split())), pattern)


# Words that say more than the code beside them.
OVERRULING: tuple[Wording, ...] = (
    # Alibaba gives `insufficient_quota` to a plan's window, the free quota and the minute alike.
    _wording(FaultKind.WINDOW, "403 429", r"(?:\d+[ -]?)?(?:hour|day|week|month) allocated quota"),
    _wording(FaultKind.CREDIT, "403 429", r"free allocated quota exceeded"),
    _wording(
        FaultKind.RATE,
        "429",
        r"allocated quota exceeded",
        r"[^\n]{0,300}?/model-studio/error-code#token-limit",
    ),
    # One request over a whole minute's tokens (Groq's 413, OpenAI's 429) never passes: the agent
    # must send less, as with a full context.
    _wording(FaultKind.CONTEXT, "413 429", r"request too large for .{1,300}?tokens per min"),
    # Only prompts beyond the plan's context are told so (Anthropic).
    _wording(FaultKind.CONTEXT, "429", r"extra usage is required for long context"),
    # Moonshot in the messages dialect; Mistral; one-api where the upstream's own words are hidden.
    _wording(
        FaultKind.OVERLOADED,
        "429 503",
        r"the engine is currently overloaded",
        r"service tier capacity exceeded",
        r"当前分组上游负载已饱和",
    ),
    # OpenRouter's spending limit of a key may be one of a day or a week.
    _wording(FaultKind.WINDOW, "403 429", r"key limit exceeded \((?:daily|weekly|monthly)"),
)

WORDINGS: tuple[Wording, ...] = (
    _wording(
        FaultKind.CREDIT,
        "400 401 403 412 429 500 503",
        # Anthropic; DeepSeek, MiniMax, Z.AI; Moonshot; xAI; OpenRouter; Fireworks; Gemini.
        r"your credit balance is too low",
        r"insufficient (?:account )?balance(?:\s*\Z|[.!(,]| or no resource)",
        r"your account .{1,200}?is suspended due to insufficient balance",
        r"your account .{1,300}?exceeded current quota",
        r"your team .{1,80}?has either used all available credits",
        r"your newly created team doesn't have any credits",
        r"you have run out of credits",
        r"(?:insufficient credits|this request requires more credits)",
        r"key limit exceeded \(total",
        r"account .{1,120}?is suspended, possibly due to reaching the monthly spending limit",
        r"your prepayment credits are depleted",
        r"your project has exceeded its monthly spending cap",
        # Alibaba; Ark; SiliconFlow; one-api and new-api; LiteLLM.
        r"access denied, please make sure your account is in good standing",
        r"the free tier of the model has been exhausted",
        r"the request failed because your account has an overdue balance",
        r"(?:sorry, )?your account balance is insufficient",
        r"(?:user|token) quota is not enough",
        r"(?:用户|预扣费|令牌)额度(?:不足|失败)",
        r"该令牌额度已用尽",
        r"(?:您的|当前)?(?:账户|账号|帐户)?(?:已?欠费|余额不足)",
        r"budget has been exceeded!",
        r"litellm \w{1,20}: .{1,100}?exceeded budget",
    ),
    _wording(
        FaultKind.WINDOW,
        "400 403 429",
        # Anthropic's spending limit; Kimi's plans.
        r"you have reached your specified api usage limits",
        r"you've reached your (?:\w+ )?(?:\([\w -]{1,20}\) )?usage limit",
    ),
    _wording(
        FaultKind.AUTH,
        "400 403 500",
        r"(?:incorrect|invalid) api[ _-]key(?: provided)?\b",
        r"api key (?:not valid|expired)",
        r"authentication fails",
        r"login fail: ",
        r"(?:无效的令牌|该?令牌已过期|该令牌状态不可用|令牌验证失败)",
    ),
    _wording(
        FaultKind.FORBIDDEN,
        "400",
        r"user location is not supported",
        r"this organization has been disabled",
    ),
    _wording(
        FaultKind.MODEL,
        "400 401 403 422 500 503",
        r"(?:the )?(?:requested )?model:?(?: name)? [`'\"]?[^\s`'\"]{1,120}[`'\"]? "
        r"(?:not found|is not found|does ?n[o']t exist|do not exist|has been decommissioned)",
        r"(?:the )?(?:requested )?model (?:not found|(?:does )?not exist|is not supported)",
        r"not found the model",
        r"models/[^\s]{1,120} is not found",
        r"invalid model(?: name passed in)?(?::| model=|\s*\Z)",
        r"[^\s]{1,120} is not a valid model id",
        r"the [`'\"]?[^\s`'\"]{1,120}[`'\"]? model is not supported when using",
        r"unable to access (?:non-serverless )?model ",
        r"the provided model identifier is invalid",
        r"you don't have access to the model with the specified model id",
        r"invocation of model id .{1,200}?with on-demand throughput",
        r"no endpoints (?:found|available)",
        r"no available channels? for model",
        r"(?:当前)?分组 ?.{0,60}?下对于?模型 ?.{1,120}?无可用渠道",
        r"(?:该)?令牌无权(?:访问|使用)模型",
        r"模型不存在",
    ),
    _wording(
        FaultKind.CONTEXT,
        "400 403 413 422 429 500",
        # Anthropic; OpenAI, vLLM, OpenRouter, xAI; Gemini and Vertex.
        r"prompt is too long(?:: \d|[.!]?\s*\Z)",
        r"input length and `max_tokens` exceed context limit",
        r"(?:'max_tokens' or 'max_completion_tokens' is too large: \d+\. )?"
        r"this (?:model|endpoint)'s maximum (?:context|prompt) length is \d",
        r"your input exceeds the context window",
        r"input tokens exceed the configured limit",
        r"(?:unable to submit request because )?the input token count",
        # Bedrock; Moonshot; Alibaba; MiniMax; Copilot; Mistral; SiliconFlow; Baidu; Zhipu.
        r"(?:input|prompt) is too long for requested model",
        r"input token length too long",
        r"your request exceeded model token limit",
        r"range of input length should be \[",
        r"(?:invalid params, )?context window exceeds limit",
        r"prompt token count of \d+ exceeds the limit of \d",
        r"prompt contains \d+ tokens.{0,60}?too large for model",
        r"length of prompt_tokens \(\d+\) must be less than max_seq_len",
        r"prompt tokens too long",
        r"prompt ?超长",
        # Groq; Fireworks; Together and TGI; SGLang and vLLM; llama.cpp; LM Studio; Ollama.
        r"please reduce the length of the messages or completion",
        r"the prompt is too long: \d+, model maximum context length",
        r"input validation error: `?inputs`? tokens \+ `?max_new_tokens`? must be",
        r"requested token count exceeds the model's maximum context length",
        r"the (?:decoder )?(?:input|prompt) \((?:length )?\d+(?: tokens)?\) is longer than the ",
        r"(?:the )?request(?: \(\d+ tokens\))? exceeds the available context size",
        r"the number of tokens to keep from the initial prompt is greater than the context",
        r"trying to keep the first \d+ tokens when context the overflows",
        r"cannot truncate prompt with n_keep",
        r"(?:prompt too long; exceeded (?:max )?context length|"
        r"(?:the )?input length exceeds the context length)",
    ),
    _wording(
        FaultKind.FILTERED,
        "400 403 422 500",
        # Moonshot; Alibaba; Zhipu; DeepSeek; Anthropic; Azure; OpenRouter; MiniMax.
        r"the request was rejected because it was considered high risk",
        r"(?:input|output|<?input)[\w ]{0,20}data may contain inappropriate content",
        r"系统检测到输入或生成内容可能包含不安全",
        r"content exists risk\s*\Z",
        r"output blocked by content filtering policy",
        r"the response was filtered due to the prompt triggering",
        r"[^\s]{1,120} requires moderation on .{1,60}?\. your input was flagged",
        r"(?:input|output) new_sensitive",
    ),
    _wording(
        FaultKind.OVERLOADED,
        "429 500 502",
        r"(?:the|this) model is (?:currently )?(?:overloaded|experiencing high demand)",
        r"(?:overloaded|system is too busy)",
        r"该模型当前访问量过大",
    ),
    # Only errors that came with status 200 or 5xx still need these.
    _wording(FaultKind.RATE, "500 503", r"(?:requests )?rate limit (?:exceeded|reached)"),
)

# A limit of hours, days or weeks in the message of a limit; the words may stand anywhere, since
# such messages quote nothing. "Rate limit ... 1000 requests per day if you pay" is no such limit.
_SPAN = r"(?:hourly|daily|weekly|monthly|\d{1,2}[ -]?hours?|\d{1,2}[ -]?days?)"
_WINDOWS = re.compile(
    rf"\b{_SPAN}\b[^.;,\n]{{0,30}}\b(?:limit|quota|usage|cap)\b"
    rf"|\b(?:limit|quota|usage)\b[^.;,\n]{{0,20}}\b(?:for|of|per) (?:{_SPAN}|day|week|month)\b"
    r"|\b(?:tokens|requests) per (?:hour|day|week|month)\b(?: \(|, please wait)"
    r"|\b(?:TPD|RPD|TPH|RPH|ASD|IPD)\b(?:\)|:| rate limit| limit)"
    r"|free-models-per-day"
    r"|(?:每[日天周月]|本[周月]|今日|当日|\d{1,2} ?个?小时)[^。;\n]{0,20}"
    r"(?:上限|限额|额度|配额)",
    re.ASCII | re.I,
)
_WINDOWS_SEARCHED = 4096


def of_words(messages: tuple[str, ...], status: int | None) -> FaultKind | None:
    """Give the kind of the first wording that fits a message. `status` None: any wording."""
    return _fitting(WORDINGS, messages, status)


def overruling(messages: tuple[str, ...], status: int | None) -> FaultKind | None:
    """Give the kind that a message tells whatever the code beside it."""
    return _fitting(OVERRULING, messages, status)


def names_window(messages: tuple[str, ...]) -> bool:
    """Tell whether the message of a limit names hours, days or weeks."""
    return any(_WINDOWS.search(message[:_WINDOWS_SEARCHED]) for message in messages)


def _fitting(
    wordings: tuple[Wording, ...], messages: tuple[str, ...], status: int | None
) -> FaultKind | None:
    return next(
        (
            wording.kind
            for wording in wordings
            if status is None or status in wording.statuses
            for message in messages
            if wording.signs.match(message)
        ),
        None,
    )
