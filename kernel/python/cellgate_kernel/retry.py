"""When a call is tried again: only after an answer that says "too many requests"."""

import random
import re
import time
from typing import Any, Callable, Mapping, Optional

from .gateway import Answer

# Who asks for a longer pause than this would keep the cell waiting for its deadline: the caller is told instead.
LONGEST_PAUSE_S = 60.0

_RATE_LIMIT = re.compile(
    r"rate[\s_-]?limit|too many requests|quota exceeded|resource[\s_-]?exhausted", re.IGNORECASE
)


class RetryRules:
    """``{"max_retries": 3, "delay_ms": 2000}``: the delay doubles each time, plus at most 20 % and half a second."""

    def __init__(self, max_retries: int = 3, delay_ms: float = 2000) -> None:
        self.max_retries = max_retries
        self.delay_ms = delay_ms

    @classmethod
    def parse(cls, given: Optional[Mapping[str, Any]]) -> "RetryRules":
        """Raises ValueError with what to do."""
        rules = cls()
        if given is None:
            return rules
        if not isinstance(given, Mapping):
            raise ValueError('retry_params must be a dict such as {"max_retries": 3, "delay_ms": 2000}')
        for name, value in given.items():
            if name not in ("max_retries", "delay_ms"):
                raise ValueError("retry_params knows max_retries and delay_ms, not %r" % (name,))
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
                raise ValueError("retry_params[%r] must be a number from 0 up" % name)
        rules.max_retries = int(given.get("max_retries", rules.max_retries))
        rules.delay_ms = float(given.get("delay_ms", rules.delay_ms))
        return rules

    def delay_s(self, attempt: int) -> float:
        """Before the retry that follows `attempt`, counted from 0."""
        delay = self.delay_ms / 1000 * 2 ** min(attempt, 30)
        return delay + random.uniform(0, min(delay * 0.2, 0.5))


def with_retries(send: Callable[[], Answer], rules: RetryRules) -> Answer:
    """What `send` answers in the end."""
    attempt = 0
    while True:
        answer = send()
        if attempt >= rules.max_retries or not is_rate_limited(answer.status, answer.body):
            return answer
        if answer.retry_after_s > LONGEST_PAUSE_S:
            return answer
        # The jitter comes on top of what was asked for: those who were refused together do not come back together.
        own = rules.delay_s(attempt)
        asked = answer.retry_after_s + random.uniform(0, 0.5) if answer.retry_after_s else 0.0
        time.sleep(max(own, asked))
        attempt += 1


def is_rate_limited(status: int, body: Any) -> bool:
    if status == 429:
        return True
    error = body.get("error") if isinstance(body, Mapping) else None
    return 200 <= status < 300 and bool(error) and bool(_RATE_LIMIT.search(str(error)))
