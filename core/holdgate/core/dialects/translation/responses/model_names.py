"""What is known of OpenAI's models by their names."""

from __future__ import annotations

import re

# Models that think: they may give their reasoning encrypted, and refuse temperature and top_p.
_THINKS = re.compile(r"^(?:o\d|gpt-5|gpt-6|codex|computer-use)(?!.*-chat)")


def thinks(model: str) -> bool:
    """Tell whether a model reasons before it answers."""
    return _THINKS.match(model.rpartition("/")[2].lower()) is not None
