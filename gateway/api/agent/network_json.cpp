#include "gateway/api/agent/network_json.hpp"

#include <nlohmann/json.hpp>

#include "gateway/api/agent/json_text.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

constexpr const char* all_others = "*";  // of the row for those that have none of their own

json row(const std::string& destination, const egress::traffic& from) {
    return {{"destination", destination},
            {"connections", from.connections},
            {"bytes_in", from.bytes_in},
            {"bytes_out", from.bytes_out}};
}

json row(const std::string& destination, const egress::refusals& from) {
    return {{"destination", destination},
            {"count", from.count},
            {"reason", egress::to_string(from.why)},
            {"last_at", iso8601(from.last)}};
}

bool is_empty(const egress::traffic& from) { return from.connections == 0; }
bool is_empty(const egress::refusals& from) { return from.count == 0; }

template <class Row>
json rows(const egress::bounded_table<Row>& from) {
    json all = json::array();
    for (const auto& [destination, each] : from.rows) all.push_back(row(destination, each));
    if (!is_empty(from.others)) all.push_back(row(all_others, from.others));
    return all;
}

}  // namespace

json network_object(const sessions::session& from) {
    if (!from.network()) return {{"mode", "host"}};
    return egress::to_json(from.network()->current_policy());
}

std::string network_json(const sessions::session& from) {
    auto made = network_object(from);
    if (!from.network()) return dump(made);
    const auto& counted = from.network()->counted();
    made["open_connections"] = from.network()->connections();
    made["bytes_in"] = counted.all().bytes_in;
    made["bytes_out"] = counted.all().bytes_out;
    made["destinations"] = rows(counted.destinations());
    made["denied"] = rows(counted.denied());
    return dump(made);
}

}  // namespace gateway::api::agent
