"""Which folder may include which: the picture of docs/architecture.md as data. A folder may always include itself."""

BASE = {"gateway/base"}

MAY_INCLUDE: dict[str, set[str]] = {
    # Jupyter messages and how they travel: nothing of ours below.
    "messaging": set(),
    # Files, and how a box shows them: in the launcher's words.
    "mounts": {"kernel/launcher"},
    # The child programs: nothing of gateway/.
    "kernel/launcher": {"kernel/sandbox"},
    "kernel/sandbox": {"kernel/launcher"},
    "kernel/zygote": {"kernel/launcher", "kernel/sandbox"},
    "kernel/server": {"messaging", "kernel/launcher"},
    "kernel/interpreter": {"kernel/server", "kernel/zygote", "messaging", "kernel/launcher"},
    "gateway/base": set(),
    "gateway/config": BASE,
    "gateway/storage": BASE,
    "gateway/http": BASE | {"gateway/storage"},
    "gateway/outbound": BASE,
    # What a session may reach, and the proxy that sees to it; knows no session.
    "gateway/egress": BASE | {"gateway/outbound"},
    # A session's files as requests and answers; knows no session.
    "gateway/files": BASE | {"gateway/storage", "gateway/http", "mounts"},
    "gateway/kernels": BASE | {"messaging", "kernel/launcher", "mounts"},
    "gateway/tools": BASE | {"gateway/outbound"},
    "gateway/accounts": BASE | {"gateway/storage", "gateway/outbound", "gateway/tools", "messaging"},
    "gateway/packages": BASE | {"gateway/tools"},
    "gateway/sessions": BASE | {"gateway/storage", "gateway/kernels", "gateway/tools", "gateway/egress", "messaging", "mounts", "kernel/launcher"},
}

API = BASE | {"gateway/storage", "gateway/http", "gateway/files", "gateway/sessions", "gateway/tools", "gateway/accounts", "gateway/packages",
              "gateway/egress", "gateway/kernels", "messaging", "mounts"}
for family in ("jupyter", "agent", "helpers", "composio", "mcp"):
    MAY_INCLUDE[f"gateway/api/{family}"] = API
# The tool router shows cells in the words of the agent API.
MAY_INCLUDE["gateway/api/composio"] = API | {"gateway/api/agent"}

MAY_INCLUDE["gateway/server"] = API | {
    "gateway/config", "gateway/outbound", "kernel/launcher",
    *(f"gateway/api/{family}" for family in ("jupyter", "agent", "helpers", "composio", "mcp")),
}
MAY_INCLUDE["gateway/main"] = MAY_INCLUDE["gateway/server"] | {"gateway/server"}

# From these folders only the named headers may be included by others: what is said to the launcher, and how.
HEADERS_ONLY = {"kernel/launcher": {f"kernel/launcher/{name}.hpp" for name in ("protocol", "zygote_protocol", "codec", "channel", "change_times", "file_descriptor")}}

# A library, and where it may be included: paths that begin so. None of these is allowed in another folder's file.
LIBRARIES: list[tuple[str, tuple[str, ...]]] = [
    ("boost/beast/websocket", ("gateway/http/websocket.cpp", "cmake/boost_beast.cpp", "tests/")),
    ("boost/beast", ("gateway/http/", "gateway/outbound/", "cmake/boost_beast.cpp", "tests/")),
    ("boost/asio/impl/src", ("cmake/boost_asio.cpp",)),
    ("zmq", ("kernel/server/", "tests/")),
    ("xeus", ("kernel/interpreter/request_dispatcher.cpp",)),
    ("pybind11", ("kernel/interpreter/",)),
    ("toml++", ("gateway/config/",)),
    ("CLI/", ("gateway/config/", "gateway/main/", "kernel/interpreter/options.cpp", "tests/")),
    ("spdlog", ("gateway/base/log.cpp",)),
    ("sqlite3", ("gateway/storage/", "tests/")),
]

# Heavy headers that no header of ours may include.
NOT_IN_HEADERS = ("nlohmann/json.hpp", "zmq.hpp", "zmq.h", "zmq_addon.hpp", "boost/beast.hpp", "boost/beast/websocket", "toml++",
                  "CLI/", "spdlog")
