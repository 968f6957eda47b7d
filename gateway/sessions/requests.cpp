#include "gateway/sessions/requests.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gateway::sessions {
namespace {

constexpr std::string_view request_suffix = "_request";

std::string reply_type(const std::string& request_type) {
    return request_type.substr(0, request_type.size() - request_suffix.size()) + "_reply";
}

}  // namespace

void request_table::add(pending_request what) {
    if (!what.msg_type.ends_with(request_suffix)) return;
    what.order = ++count_;
    auto key = what.msg_id;
    requests_.insert_or_assign(std::move(key), std::move(what));
}

std::optional<pending_request> request_table::take(const std::string& msg_id) {
    auto node = requests_.extract(msg_id);
    if (node.empty()) return std::nullopt;
    return std::move(node.mapped());
}

const pending_request* request_table::find(const std::string& msg_id) const {
    auto found = requests_.find(msg_id);
    return found == requests_.end() ? nullptr : &found->second;
}

bool request_table::any_of(const std::string& client) const {
    return std::any_of(requests_.begin(), requests_.end(),
                       [&](const auto& each) { return each.second.client == client; });
}

std::vector<pending_request> request_table::take_all() {
    std::vector<pending_request> all;
    for (auto& each : requests_) all.push_back(std::move(each.second));
    requests_.clear();
    std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) { return left.order < right.order; });
    return all;
}

messaging::message make_error_reply(const pending_request& to, const std::string& kernel_session,
                                    const std::string& ename, const std::string& evalue) {
    // nbclient and papermill show the traceback alone.
    const auto traceback = nlohmann::json::array({ename + ": " + evalue});
    nlohmann::json content = {{"status", "error"}, {"ename", ename}, {"evalue", evalue}, {"traceback", traceback}};
    if (to.msg_type == "execute_request") content["execution_count"] = nullptr;
    return messaging::make_message(to.where, reply_type(to.msg_type), kernel_session, content.dump(), to.header);
}

messaging::message make_status(const std::string& execution_state, const std::string& kernel_session,
                               const std::string& parent_header) {
    return messaging::make_message(messaging::channel::iopub, "status", kernel_session,
                                   "{\"execution_state\":\"" + execution_state + "\"}", parent_header);
}

}  // namespace gateway::sessions
