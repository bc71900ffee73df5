"""Verdict codes: what the codes in vendors' error bodies mean.

The tables are data, all in lower case. A code is in `BY_CODE` or `FAMILIES` where it says more than
the status it comes with; in `ECHOES` where it only repeats a status.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from holdgate.core.values.errors import FaultKind


def _table(*groups: tuple[FaultKind, str]) -> Mapping[str, FaultKind]:
    return MappingProxyType({code: kind for kind, codes in groups for code in codes.split()})


BY_CODE: Mapping[str, FaultKind] = _table(
    # OpenAI, "Error codes"; ChatGPT plans; many others copy these.
    (FaultKind.CREDIT, "insufficient_quota billing_hard_limit_reached billing_not_active"),
    (FaultKind.WINDOW, "usage_limit_reached usage_limit_exceeded"),
    (FaultKind.AUTH, "invalid_api_key invalid_issuer"),
    (FaultKind.FORBIDDEN, "unsupported_country_region_territory usage_not_included"),
    (FaultKind.MODEL, "model_not_found model_not_available model_decommissioned model_not_active"),
    (FaultKind.CONTEXT, "context_length_exceeded"),
    (FaultKind.FILTERED, "content_filter content_policy_violation invalid_prompt"),
    # Anthropic, "Errors".
    (FaultKind.CREDIT, "billing_error"),
    # Google: google.rpc.ErrorInfo and the reasons of Code Assist.
    (FaultKind.AUTH, "api_key_invalid"),
    (FaultKind.WINDOW, "quota_exhausted"),
    (FaultKind.OVERLOADED, "model_capacity_exhausted"),
    # Azure: "Azure OpenAI REST reference"; Amazon: "Bedrock, troubleshooting API error codes".
    (FaultKind.MODEL, "deploymentnotfound operationnotsupported"),
    (FaultKind.FILTERED, "responsibleaipolicyviolation"),
    (FaultKind.RATE, "servicequotaexceededexception"),
    (FaultKind.OVERLOADED, "modelnotreadyexception serviceunavailableexception"),
    (FaultKind.SERVER, "modeltimeoutexception modelerrorexception internalserverexception"),
    (FaultKind.MODEL, "resourcenotfoundexception"),
    (FaultKind.AUTH, "unrecognizedclientexception expiredtokenexception"),
    (FaultKind.AUTH, "invalidsignatureexception missingauthenticationtokenexception"),
    # Copilot and OpenCode.
    (FaultKind.WINDOW, "quota_exceeded"),
    (FaultKind.MODEL, "model_not_supported unsupported_api_for_model"),
    (FaultKind.CONTEXT, "model_max_prompt_tokens_exceeded"),
    (FaultKind.CREDIT, "creditserror monthlylimiterror"),
    # OpenRouter, llama.cpp, Mistral, StepFun.
    (FaultKind.FILTERED, "moderation censorship_blocked"),
    (FaultKind.CONTEXT, "exceed_context_size_error"),
    (FaultKind.MODEL, "invalid_model 1500"),
    (FaultKind.OVERLOADED, "3505"),
    # Relays: one-api and new-api; LiteLLM, whose exceptions are also found as wrappers.
    (FaultKind.CREDIT, "insufficient_user_quota pre_consume_token_quota_failed"),
    (FaultKind.CREDIT, "insufficient_balance insufficient_balance_error"),
    (FaultKind.CREDIT, "budget_exceeded budgetexceedederror"),
    (FaultKind.CONTEXT, "contextwindowexceedederror"),
    (FaultKind.FILTERED, "contentpolicyviolationerror sensitive_words_detected"),
    # Moonshot, "Error list". `access_terminated_error` is both a spent plan and a refused client.
    (FaultKind.CREDIT, "exceeded_current_quota_error"),
    (FaultKind.AUTH, "invalid_authentication_error incorrect_api_key_error"),
    # Zhipu, "API code": 1302 and 1303 are concurrency and frequency, 1305 and 1312 the model's
    # load, 1304, 1308 and 1310 windows, 1309 and 1311 the plan.
    (FaultKind.AUTH, "1000 1001 1002 1003 1004"),
    (FaultKind.FORBIDDEN, "1110 1111 1112 1121 1220"),
    (FaultKind.CREDIT, "1113 1309"),
    (FaultKind.MODEL, "1211 1311"),
    (FaultKind.CONTEXT, "1261"),
    (FaultKind.FILTERED, "1301"),
    (FaultKind.RATE, "1302 1303 1313"),
    (FaultKind.WINDOW, "1304 1308 1310 1316"),
    (FaultKind.OVERLOADED, "1305 1312"),
    # MiniMax, "Error codes": 1039 is "token limit, retry later", so the minute's.
    (
        FaultKind.SERVER,
        "base_resp.1000 base_resp.1001 base_resp.1013 base_resp.1024 base_resp.1033",
    ),
    (FaultKind.RATE, "base_resp.1002 base_resp.1039 base_resp.1041 base_resp.2045"),
    (FaultKind.AUTH, "base_resp.1004 base_resp.2049"),
    (FaultKind.CREDIT, "base_resp.1008"),
    (FaultKind.FILTERED, "base_resp.1026 base_resp.1027"),
    (FaultKind.WINDOW, "base_resp.2056"),
    (FaultKind.MODEL, "base_resp.2061"),
    # Alibaba Model Studio, "Error codes". In its OpenAI dialect `insufficient_quota` may be a
    # minute's limit; the words tell.
    (FaultKind.CREDIT, "arrearage prepaidbilloverdue postpaidbilloverdue commoditynotpurchased"),
    (FaultKind.CREDIT, "allocationquota.freetieronly allocationquota.freeexceeded"),
    (FaultKind.RATE, "limit_requests limit_burst_rate"),
    (FaultKind.AUTH, "invalidapikey"),
    (FaultKind.MODEL, "modelnotfound model.accessdenied model_access_denied"),
    (FaultKind.FILTERED, "datainspectionfailed data_inspection_failed"),
    (FaultKind.SERVER, "modelservingerror"),
    # Volcengine Ark, "Error codes". Its `QuotaExceeded` is the used-up free trial.
    (FaultKind.CREDIT, "accountoverdueerror operationdenied.serviceoverdue quotaexceeded"),
    (FaultKind.CREDIT, "setlimitexceeded invalidsubscription"),
    (FaultKind.WINDOW, "accountquotaexceeded"),
    (FaultKind.RATE, "requestbursttoofast inflightbatchsizeexceeded"),
    (FaultKind.AUTH, "authenticationerror"),
    (FaultKind.MODEL, "modelnotopen operationdenied.servicenotopen invalidendpoint.notfound"),
    (FaultKind.MODEL, "invalidendpointormodel.notfound invalidendpoint.closedendpoint"),
    (FaultKind.MODEL, "invalidendpointormodel.modelidaccessdisabled unsupportedmodel"),
    # SiliconFlow, "Error handling".
    (FaultKind.MODEL, "20012 30003"),
    (FaultKind.CREDIT, "30001"),
    (FaultKind.OVERLOADED, "50505 50603"),
    # Baidu Qianfan: v2 in words, v1 in numbers.
    (FaultKind.CONTEXT, "tokens_too_long characters_too_long error_code.336103"),
    (FaultKind.AUTH, "invalid_iam_token error_code.13 error_code.14 error_code.100"),
    (FaultKind.AUTH, "error_code.110 error_code.111"),
    (FaultKind.RATE, "error_code.18 error_code.336501 error_code.336502"),
    (FaultKind.WINDOW, "error_code.17 quota_user_daily_request"),
    (FaultKind.CREDIT, "error_code.19 billing_insufficient_balance quota_user_daily_free"),
    (FaultKind.OVERLOADED, "error_code.2 error_code.4 error_code.336100"),
)

# Codes with parts that vary; whole codes, the first that fits.
FAMILIES: tuple[tuple[re.Pattern[str], FaultKind], ...] = tuple(
    (re.compile(sign, re.ASCII), kind)
    for sign, kind in (
        (
            r"(?:user_|model_)?(?:hourly|daily|weekly|monthly)_(?:[a-z]+_){0,2}"
            r"(?:reached|exceeded|exhausted|limited)",
            FaultKind.WINDOW,
        ),
        # OpenCode's FreeUsageLimitError and its like.
        (r"[a-z]*usagelimiterror", FaultKind.WINDOW),
        # Ark: InputTextSensitiveContentDetected.PolicyViolation, OutputTextRiskDetection.
        (r"[a-z]*(?:sensitivecontentdetected|riskdetection)(?:\.[\w.]*)?", FaultKind.FILTERED),
        (r"\w*overloaded\w*", FaultKind.OVERLOADED),
        # Alibaba's Throttling.RateQuota, Amazon's ThrottlingException, LiteLLM's throttling_error.
        (r"throttling(?:exception|_error|\.[\w.]*)?", FaultKind.RATE),
        # Ark's RateLimitExceeded.EndpointRPMExceeded and ModelAccountRpmRateLimitExceeded.
        (r"\w*rate_?limit\w*(?:[.:]\w*)*", FaultKind.RATE),
    )
)

ECHOES: Mapping[str, FaultKind] = _table(
    (FaultKind.RATE, "resource_exhausted toomanyrequests too_many_requests"),
    (FaultKind.OVERLOADED, "unavailable service_unavailable serviceunavailable"),
    (FaultKind.REQUEST, "invalid_request_error invalid_request invalid_argument bad_request_error"),
    (FaultKind.REQUEST, "badrequesterror validationexception invalidparameter base_resp.2013"),
    (FaultKind.AUTH, "authentication_error unauthenticated unauthorized"),
    (FaultKind.FORBIDDEN, "permission_error permission_denied accessdenied accessdeniedexception"),
    (FaultKind.FORBIDDEN, "access_denied"),
    (FaultKind.MODEL, "not_found_error notfounderror not_found"),
    (FaultKind.TOO_LARGE, "request_too_large"),
)


def of_codes(codes: tuple[str, ...]) -> FaultKind | None:
    """Give the kind of the first code that tells one."""
    return next((kind for code in codes for kind in _of_code(code)), None)


def echo_of(codes: tuple[str, ...]) -> FaultKind | None:
    """Give the kind that codes repeat from the status that the vendor meant."""
    return next((ECHOES[code] for code in codes if code in ECHOES), None)


def _of_code(code: str) -> Iterator[FaultKind]:
    if code in BY_CODE:
        yield BY_CODE[code]
    yield from (kind for sign, kind in FAMILIES if sign.fullmatch(code))
