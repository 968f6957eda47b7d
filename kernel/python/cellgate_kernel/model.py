"""invoke_llm: a question to a language model from a cell."""

from typing import Any, Dict, Optional, Tuple

from .ask import ask

_EFFORTS = ("low", "medium", "high")


def invoke_llm(query: str, reasoning_effort: Optional[str] = None) -> Tuple[str, str]:
    """Ask the language model of this gateway and return ``(text, error)``. Never raises.

    query: everything that the model is to know and to do, at most 200,000 characters: it remembers nothing of other calls.
    reasoning_effort: None, "low", "medium" or "high": how long a model that can reason does so before it answers.

    On success `error` is "" and `text` is the answer; a code fence around the whole of it is taken off. An answer that
    was cut at the limit of tokens comes with an `error` that says so. Otherwise `text` is "". Rate limits are waited
    for and tried again, three times at most.

        text, error = invoke_llm("Summarize in one sentence: " + document)
        if error:
            print("failed:", error)
        else:
            print(text)

    Many questions run side by side:

        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(lambda page: invoke_llm("Which company is this about? " + page), pages))

    For data, ask for JSON and read it with json.loads(text). The model, and how much a session may use of it, is in the
    gateway's configuration.
    """
    if reasoning_effort is not None and not (isinstance(reasoning_effort, str) and reasoning_effort in _EFFORTS):
        return "", 'reasoning_effort must be None, "low", "medium" or "high", not %r' % (reasoning_effort,)
    body: Dict[str, Any] = {"query": query}
    if reasoning_effort is not None:
        body["reasoning_effort"] = reasoning_effort
    answer, error = ask("invoke_llm", "/v1/llm", body)
    if error:
        return "", error
    return str(answer.get("text") or ""), str(answer.get("incomplete") or "")
