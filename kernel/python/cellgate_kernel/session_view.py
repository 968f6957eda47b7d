"""The session as %session shows it."""

import html
from typing import Any, List, Mapping, Tuple


class SessionView:
    """What the gateway tells of this session; `data` is all of it."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = dict(data)

    @property
    def rows(self) -> List[Tuple[str, str]]:
        data = self.data
        tokens = _part(data, "tokens")
        connected = _part(data, "connections")
        name, identity = data.get("name"), data.get("id")
        return [
            ("session", "%s" % identity if name == identity else "%s (%s)" % (name, identity)),
            ("user", "%s" % data.get("user_id")),
            ("state", "%s" % data.get("state")),
            ("kernel", "%s, restarted %s times" % (data.get("kernel"), data.get("restarts"))),
            ("made", "%s" % data.get("created_at")),
            ("connected", "%s Jupyter clients, %s agents" % (connected.get("jupyter"), connected.get("agents"))),
            ("an agent's cell may run", _seconds(data.get("cell_timeout_s"), "as long as it likes")),
            ("ends when idle for", _seconds(data.get("idle_timeout_s"), "as configured")),
            ("ends at the latest after", _seconds(data.get("lifetime_s"), "as configured")),
            (
                "model",
                "%s calls, %s + %s tokens (asked + answered)"
                % (tokens.get("calls"), tokens.get("prompt"), tokens.get("completion")),
            ),
            ("web searches", "%s" % data.get("searches")),
        ]

    def __repr__(self) -> str:
        width = max(len(name) for name, _ in self.rows)
        return "\n".join("%-*s  %s" % (width, name, value) for name, value in self.rows)

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr><th style='text-align:left'>%s</th><td style='text-align:left'>%s</td></tr>"
            % (html.escape(name), html.escape(value))
            for name, value in self.rows
        )
        return "<table>%s</table>" % rows


def _part(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = data.get(name)
    return found if isinstance(found, Mapping) else {}


def _seconds(value: Any, otherwise: str) -> str:
    return "%g s" % value if isinstance(value, (int, float)) and value > 0 else otherwise
