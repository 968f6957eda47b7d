#include "gateway/kernels/kernelspec_hints.hpp"

#include <nlohmann/json.hpp>
#include <regex>

namespace gateway::kernels {
namespace {

using json = nlohmann::json;

failure bad(const std::string& key, const std::string& allowed) {
    return {errc::invalid_request, "\"metadata.cellgate" + key + "\" must be " + allowed};
}

result<std::optional<transport>> transport_of(const json& ours) {
    auto found = ours.find("transport");
    if (found == ours.end()) return std::optional<transport>();
    if (*found == "ipc") return std::optional(transport::ipc);
    if (*found == "tcp") return std::optional(transport::tcp);
    return bad(".transport", "\"ipc\" or \"tcp\"");
}

result<std::string> prefix_in(const json& ours) {
    auto found = ours.find("prefix");
    if (found == ours.end()) return std::string();
    static const std::regex absolute("/[^\\x00-\\x1f]*");  // a control character would tear the log's lines
    if (!found->is_string() || !std::regex_match(found->get_ref<const std::string&>(), absolute))
        return bad(".prefix", "the absolute path of a Python environment");
    return found->get<std::string>();
}

// Joined by commas on the fork server's command line.
bool is_module_name(const json& what) {
    static const std::regex dotted("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*");
    return what.is_string() && std::regex_match(what.get_ref<const std::string&>(), dotted);
}

result<std::vector<std::string>> preload_of(const json& ours) {
    std::vector<std::string> modules;
    auto found = ours.find("preload");
    if (found == ours.end()) return modules;
    auto wrong = bad(".preload", "a list of modules' names, like [\"numpy\", \"matplotlib.pyplot\"]");
    if (!found->is_array()) return wrong;
    for (const auto& each : *found) {
        if (!is_module_name(each)) return wrong;
        modules.push_back(each.get<std::string>());
    }
    return modules;
}

}  // namespace

result<kernelspec_hints> parse_hints(const nlohmann::json& metadata) {
    auto ours = metadata.find("cellgate");
    if (ours == metadata.end()) return kernelspec_hints();
    if (!ours->is_object()) return bad("", "an object");
    auto over = transport_of(*ours);
    auto prefix = prefix_in(*ours);
    auto preload = preload_of(*ours);
    if (!over) return over.error();
    if (!prefix) return prefix.error();
    if (!preload) return preload.error();
    if (prefix->empty() && !preload->empty())
        return bad(".preload", "empty unless \"prefix\" names the Python environment of a fork server");
    // Its sockets are bound before it is reported to run: there is no other way to find out.
    if (!prefix->empty() && !*over) over = transport::ipc;
    return kernelspec_hints{*over, std::move(*prefix), std::move(*preload)};
}

}  // namespace gateway::kernels
