"""web_search: a search of the web from a cell."""

from typing import Tuple

from .ask import ask


def web_search(query: str) -> Tuple[str, str]:
    """Search the web through this gateway and return ``(answer, error)``. Never raises.

    query: what is looked for, in words or as a question.

    On success `error` is "" and `answer` is text: what the search provider answers, or, where it only finds pages, each
    page with its title, URL and a passage. Nothing found is an empty answer. Rate limits are waited for and tried again,
    three times at most.

        answer, error = web_search("when was the last total solar eclipse in Spain?")
        if error:
            print("failed:", error)
        else:
            print(answer)

    The provider, and how often a session may search, is in the gateway's configuration.
    """
    found, error = ask("web_search", "/v1/search", {"query": query})
    return ("", error) if error else (str(found.get("answer") or ""), "")
