#include "gateway/sessions/sandbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/sessions/json_reading.hpp"

namespace gateway::sessions {
namespace {

using nlohmann::json;

failure wrong(std::string message) { return {errc::invalid_request, std::move(message)}; }

std::string names_of(const std::vector<sandbox_size>& sizes) {
    std::vector<std::string> names;
    for (const auto& each : sizes) names.push_back(each.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

bool is_size(const json& value) {
    const auto sizes = usual_sizes();
    return value.is_string() && std::any_of(sizes.begin(), sizes.end(), [&](const auto& each) {
               return each.name == value.get_ref<const std::string&>();
           });
}

// Into `made` what is right; the failure is the last thing that is wrong.
result<void> read_into(sandbox_settings& made, const std::string& object) {
    if (object.empty() || object == "{}") return {};
    result<void> good;
    const auto from = parse_object(object);
    auto said = [&from](const char* name) {
        auto found = from.find(name);
        return found == from.end() ? json() : *found;
    };
    if (const auto proxy = said("enable_proxy_execution"); !proxy.is_null() && !proxy.is_boolean())
        good = wrong("sandbox.enable_proxy_execution must be true or false");
    if (const auto size = said("sandbox_size"); is_size(size))
        made.size = size.get<std::string>();
    else if (!size.is_null())
        good = wrong("sandbox.sandbox_size must be one of " + names_of(usual_sizes()));
    if (const auto enable = said("enable"); enable.is_boolean())
        made.enable = enable.get<bool>();
    else if (!enable.is_null())
        good = wrong("sandbox.enable must be true or false");
    return good;
}

}  // namespace

std::vector<sandbox_size> usual_sizes() {
    constexpr std::int64_t gigabyte = 1ll << 30;
    return {{"standard", 1'000, gigabyte, 256},
            {"medium", 2'000, 2 * gigabyte, 512},
            {"large", 4'000, 4 * gigabyte, 1'024},
            {"xlarge", 8'000, 8 * gigabyte, 2'048}};
}

sandbox_sizes usual_sandbox_sizes() {
    sandbox_sizes made;
    made.named = usual_sizes();
    return made;
}

const sandbox_size& sandbox_sizes::of(const std::string& name, bool by_jupyter) const {
    if (name.empty() && by_jupyter) return jupyter;
    auto found = std::find_if(named.begin(), named.end(), [&](const auto& each) { return each.name == name; });
    return found == named.end() ? named.front() : *found;
}

const sandbox_size* sandbox_sizes::larger_than(const sandbox_size& one) const {
    for (const auto& each : named)
        if (one.memory_bytes > 0 && (each.memory_bytes > one.memory_bytes || each.memory_bytes == 0)) return &each;
    return nullptr;
}

void sandbox_sizes::without_disk() {
    for (auto& each : named) each.disk_holds = false;
    jupyter.disk_holds = false;
}

::kernel::box_limits to_box_limits(const sandbox_size& from) { return {from.cpu_millis, from.memory_bytes, from.pids}; }

result<sandbox_settings> read_sandbox(const std::string& object) {
    sandbox_settings made;
    if (auto good = read_into(made, object); !good) return good.error();
    return made;
}

// What is wrong in one that was kept spoils nothing else in it.
sandbox_settings known_sandbox(const std::string& object) {
    sandbox_settings made;
    (void)read_into(made, object);
    return made;
}

std::string change_sandbox(const std::string& object, const std::string& change) {
    auto made = parse_object(object);
    const auto changes = parse_object(change);
    for (const auto& [name, value] : changes.items()) {
        if (value.is_null())
            made.erase(name);
        else
            made[name] = value;
    }
    return made.dump(-1, ' ', false, json::error_handler_t::replace);
}

failure no_sandbox() {
    return {errc::conflict,
            "this session has no sandbox of its own (sandbox.enable is false): run the code where you have it, or turn "
            "the sandbox on with PATCH /api/v1/sessions/{session} {\"sandbox\":{\"enable\":true}}"};
}

}  // namespace gateway::sessions
