#include "gateway/kernels/kernelspec_file.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace gateway::kernels {
namespace {

using json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uintmax_t max_spec_bytes = 1u
                                          << 20;  // kernel.json holds a few hundred bytes; anything huge is a mistake

failure bad(const std::string& what) { return {errc::invalid_request, what}; }

result<std::string> text_of(const json& spec, const char* key) {
    auto found = spec.find(key);
    if (found == spec.end() || !found->is_string() || found->get_ref<const std::string&>().empty())
        return bad(std::string("\"") + key + "\" must be a string that is not empty");
    return found->get<std::string>();
}

result<std::vector<std::string>> argv_of(const json& spec) {
    auto found = spec.find("argv");
    if (found == spec.end() || !found->is_array() || found->empty())
        return bad("\"argv\" must be a list of strings with at least one");
    std::vector<std::string> argv;
    for (const auto& each : *found) {
        if (!each.is_string()) return bad("\"argv\" must hold strings only");
        argv.push_back(each.get<std::string>());
    }
    if (argv.front().empty()) return bad("\"argv\" must begin with a program");
    return argv;
}

result<std::map<std::string, std::string>> env_of(const json& spec) {
    std::map<std::string, std::string> env;
    auto found = spec.find("env");
    if (found == spec.end()) return env;
    if (!found->is_object()) return bad("\"env\" must be an object of strings");
    for (const auto& [key, value] : found->items()) {
        if (!value.is_string()) return bad("\"env\" must hold strings only; \"" + key + "\" is none");
        env.emplace(key, value.get<std::string>());
    }
    return env;
}

result<std::string> interrupt_mode_of(const json& spec) {
    auto mode = spec.value("interrupt_mode", json("signal"));
    if (mode == "signal" || mode == "message") return mode.get<std::string>();
    return bad("\"interrupt_mode\" must be \"signal\" or \"message\"");
}

result<kernelspec_hints> hints_of(const json& metadata) {
    if (!metadata.is_object()) return bad("\"metadata\" must be an object");
    return parse_hints(metadata);
}

result<void> fill(kernelspec& into, const json& spec) {
    auto argv = argv_of(spec);
    auto display_name = text_of(spec, "display_name");
    auto language = text_of(spec, "language");
    auto env = env_of(spec);
    auto interrupt_mode = interrupt_mode_of(spec);
    auto metadata = spec.value("metadata", json::object());
    auto hints = hints_of(metadata);
    if (!argv) return argv.error();
    if (!display_name) return display_name.error();
    if (!language) return language.error();
    if (!env) return env.error();
    if (!interrupt_mode) return interrupt_mode.error();
    if (!hints) return hints.error();
    into.argv = std::move(*argv);
    into.display_name = std::move(*display_name);
    into.language = std::move(*language);
    into.env = std::move(*env);
    into.interrupt_mode = std::move(*interrupt_mode);
    into.metadata = metadata.dump(-1, ' ', false, json::error_handler_t::replace);
    into.hints = std::move(*hints);
    auto version = spec.find("kernel_protocol_version");
    if (version != spec.end() && version->is_string()) into.protocol_version = version->get<std::string>();
    return {};
}

bool starts_with(const std::string& text, std::string_view head) { return text.compare(0, head.size(), head) == 0; }

}  // namespace

bool is_kernelspec_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return c < 0x80 && (std::isalnum(c) || c == '.' || c == '_' || c == '-');
    });
}

result<kernelspec> parse_kernelspec(std::string name, std::string directory, std::string text) {
    auto spec = json::parse(text, nullptr, false);
    if (!spec.is_object()) return bad("kernel.json must hold one JSON object");
    kernelspec made;
    made.name = std::move(name);
    made.directory = std::move(directory);
    auto filled = fill(made, spec);
    if (!filled) return filled.error();
    made.json = std::move(text);
    return made;
}

std::map<std::string, std::string> find_resources(const std::string& directory) {
    std::map<std::string, std::string> found;
    std::error_code ec;
    for (fs::directory_iterator each(directory, ec), end; !ec && each != end; each.increment(ec)) {
        auto file = each->path().filename().string();
        if (file == "kernel.js" || file == "kernel.css") found.emplace(file, file);
        if (starts_with(file, "logo-")) found.emplace(fs::path(file).stem().string(), file);
    }
    return found;
}

result<kernelspec> read_kernelspec(std::string name, std::string directory) {
    auto path = directory + "/kernel.json";
    std::error_code ec;
    auto size = fs::file_size(path, ec);
    if (ec) return failure{errc::io_error, "kernel.json cannot be read: " + ec.message()};
    if (size > max_spec_bytes) return bad("kernel.json is larger than 1 MiB");
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file) return failure{errc::io_error, "kernel.json cannot be read"};
    auto made = parse_kernelspec(std::move(name), std::move(directory), std::move(text));
    if (made) made->resources = find_resources(made->directory);
    return made;
}

}  // namespace gateway::kernels
