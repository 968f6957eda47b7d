"""Tools as people read them: a list, and one with its arguments. As text, and as HTML where it is shown."""

import html
import json
from typing import Any, Iterator, List, Mapping, NamedTuple, Sequence

_LINE = 100  # characters of a description in a list


class Argument(NamedTuple):
    name: str
    kind: str  # "string", "list of integer", "one of \"a\", \"b\""
    required: bool
    description: str


class Tool:
    """One tool: its slug, what it does, and its arguments from its JSON schema."""

    def __init__(self, described: Mapping[str, Any]) -> None:
        self.slug = str(described.get("slug") or "")
        self.toolkit = str(described.get("toolkit") or "")
        self.description = str(described.get("description") or "")
        schema = described.get("input_schema")
        self.input_schema: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}

    @property
    def arguments(self) -> List[Argument]:
        """Those that must be given first."""
        properties = self.input_schema.get("properties")
        required = self.input_schema.get("required")
        required = required if isinstance(required, list) else []
        items = properties.items() if isinstance(properties, Mapping) else ()
        made = [
            Argument(str(name), kind_of(schema), name in required, _member(schema, "description"))
            for name, schema in items
        ]
        return sorted(made, key=lambda argument: not argument.required)

    @property
    def call(self) -> str:
        """A call with the arguments that must be given, to be filled in."""
        given = ", ".join("%s: ..." % json.dumps(each.name) for each in self.arguments if each.required)
        return "run_composio_tool(%s, {%s})" % (json.dumps(self.slug), given)

    def __repr__(self) -> str:
        lines = [self.slug, *("  " + line for line in self.description.splitlines())]
        width = max((len(each.name) for each in self.arguments), default=0)
        for each in self.arguments:
            need = "" if each.required else ", optional"
            told = "  " + " ".join(each.description.split()) if each.description else ""
            lines.append("    %-*s  %s%s%s" % (width, each.name, each.kind, need, told))
        return "\n".join([*lines, "  " + self.call])

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr><td><code>%s</code></td><td>%s%s</td><td style='text-align:left'>%s</td></tr>"
            % (_text(each.name), _text(each.kind), "" if each.required else ", optional", _text(each.description))
            for each in self.arguments
        )
        table = "<table><tr><th>argument</th><th>type</th><th></th></tr>%s</table>" % rows if rows else ""
        return "<p><b><code>%s</code></b></p><p>%s</p>%s<pre>%s</pre>" % (
            _text(self.slug),
            _text(self.description).replace("\n", "<br>"),
            table,
            _text(self.call),
        )


class ToolList(Sequence[Tool]):
    """What %tools found; a sequence of Tool."""

    def __init__(self, tools: Sequence[Tool], words: str = "", left_out: int = 0) -> None:
        self._tools = list(tools)
        self._words = words
        self._left_out = left_out

    def __len__(self) -> int:
        return len(self._tools)

    def __getitem__(self, at: Any) -> Any:
        return self._tools[at]

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools)

    @property
    def _closing(self) -> str:
        if not self._tools:
            return "no tool has the words %r" % self._words if self._words else "this gateway has no tools"
        more = "%d more are not shown; " % self._left_out if self._left_out else ""
        return "%s%%tools WORD… searches, %%tools SLUG shows one with its arguments" % more

    def __repr__(self) -> str:
        width = max((len(each.slug) for each in self._tools), default=0)
        lines = ["%-*s  %s" % (width, each.slug, _first_line(each.description)) for each in self._tools]
        return "\n".join([*(line.rstrip() for line in lines), self._closing])

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr><td style='text-align:left'><code>%s</code></td><td style='text-align:left'>%s</td></tr>"
            % (_text(each.slug), _text(_first_line(each.description)))
            for each in self._tools
        )
        return "%s<p>%s</p>" % ("<table>%s</table>" % rows if rows else "", _text(self._closing))


def kind_of(schema: Any, depth: int = 0) -> str:
    """What a JSON schema allows, in a few words."""
    if not isinstance(schema, Mapping) or depth > 3:
        return "anything"
    if isinstance(schema.get("enum"), list):
        return "one of " + ", ".join(json.dumps(each, ensure_ascii=False) for each in schema["enum"])
    for name in ("anyOf", "oneOf"):
        if isinstance(schema.get(name), list):
            return " or ".join(dict.fromkeys(kind_of(each, depth + 1) for each in schema[name]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(str(each) for each in kind)
    if kind == "array":
        inner = kind_of(schema.get("items"), depth + 1)
        return "list" if inner == "anything" else "list of " + inner
    return str(kind) if isinstance(kind, str) else "anything"


def _member(schema: Any, name: str) -> str:
    found = schema.get(name) if isinstance(schema, Mapping) else None
    return found if isinstance(found, str) else ""


def _first_line(text: str) -> str:
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= _LINE else line[: _LINE - 1] + "…"


def _text(of_somebody: str) -> str:
    """Tools are described by whoever made them: what they write is text, never markup."""
    return html.escape(of_somebody, quote=True)
