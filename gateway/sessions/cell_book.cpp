#include "gateway/sessions/cell_book.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/sessions/json_reading.hpp"
#include "messaging/json_members.hpp"

namespace gateway::sessions {
namespace {

using messaging::json_members;
using nlohmann::json;

std::string display_id_of(const messaging::message& display) {
    return json_members(json_members(display.content).value("transient")).text("display_id");
}

cell_error to_error(const json& content) {
    cell_error error{text_of(content, "ename"), text_of(content, "evalue"), {}};
    if (auto lines = content.find("traceback"); lines != content.end() && lines->is_array())
        for (const auto& line : *lines)
            if (line.is_string()) error.traceback.push_back(line.get<std::string>());
    return error;
}

}  // namespace

cell_book::cell_book(std::string files_directory, text_limits limits)
    : files_directory_(std::move(files_directory)), limits_(limits) {}

std::shared_ptr<cell> cell_book::add(cell added, bool hidden) {
    auto kept = std::make_shared<cell>(std::move(added));
    page made;
    made.what = kept;
    made.hidden = hidden;
    pages_.insert_or_assign(kept->id, std::move(made));
    order_.push_back(kept->id);
    by_request_[kept->msg_id] = kept->id;
    if (!kept->idempotency_key.empty()) by_key_.emplace(kept->idempotency_key, kept->id);
    return kept;
}

// In front of those there are; one that is known by now (it was cut off, and told again) is left as it is.
void cell_book::load_earlier() {
    auto load = std::exchange(earlier_, nullptr);
    if (!load) return;
    std::vector<std::string> ids;
    for (auto& each : load()) {
        auto& what = each.what;
        if (pages_.contains(what.id)) continue;
        page made;
        made.hidden = each.hidden;
        made.what = std::make_shared<cell>(std::move(what));
        if (!made.what->idempotency_key.empty()) by_key_.emplace(made.what->idempotency_key, made.what->id);
        ids.push_back(made.what->id);
        pages_.emplace(made.what->id, std::move(made));
    }
    order_.insert(order_.begin(), ids.begin(), ids.end());
}

std::shared_ptr<cell> cell_book::find(const std::string& cell_id) {
    if (auto found = find_known(cell_id)) return found;
    load_earlier();
    return find_known(cell_id);
}

std::shared_ptr<cell> cell_book::find_known(const std::string& cell_id) const {
    auto found = pages_.find(cell_id);
    return found == pages_.end() ? nullptr : found->second.what;
}

std::shared_ptr<cell> cell_book::find_by_request(const std::string& msg_id) const {
    auto found = by_request_.find(msg_id);
    return found == by_request_.end() ? nullptr : find_known(found->second);
}

std::vector<std::shared_ptr<const cell>> cell_book::list(std::uint64_t after, std::size_t limit) {
    load_earlier();
    std::vector<std::shared_ptr<const cell>> answer;
    // Cells are added with a rising seq_first.
    auto first = std::partition_point(order_.begin(), order_.end(),
                                      [&](const std::string& id) { return pages_.at(id).what->seq_first <= after; });
    for (; first != order_.end() && answer.size() < limit; ++first)
        if (const auto& each = pages_.at(*first); !each.hidden) answer.push_back(each.what);
    return answer;
}

std::vector<std::shared_ptr<const cell>> cell_book::with_key(const std::string& idempotency_key) {
    load_earlier();
    std::vector<std::shared_ptr<const cell>> answer;
    auto [first, last] = by_key_.equal_range(idempotency_key);
    for (; first != last; ++first) answer.push_back(find_known(first->second));
    std::sort(answer.begin(), answer.end(),
              [](const auto& left, const auto& right) { return left->seq_first > right->seq_first; });
    return answer;
}

cell_book::page& cell_book::page_of(const cell& which) { return pages_.at(which.id); }

void cell_book::record(cell& owner, const entry& logged) {
    auto& target = page_of(owner);
    owner.seq_last = std::max(owner.seq_last, logged.seq);
    if (logged.type == "stream") {
        record_stream(target, logged);
    } else if (logged.type == "display_data" || logged.type == "execute_result") {
        record_display(target, logged);
    } else if (logged.type == "update_display_data") {
        update_display(logged);
    } else if (logged.type == "error") {
        owner.error = to_error(parse_object(logged.message->content));
    } else if (logged.type == "clear_output") {
        if (json_members(logged.message->content).is_true("wait"))
            target.clear_before_next = true;
        else
            owner.displays.clear();
    }
}

void cell_book::record_stream(page& target, const entry& logged) {
    const json_members content(logged.message->content);
    const auto text = content.text("text");
    auto& owner = *target.what;
    if (content.text("name") == "stderr")
        keeper(target.err, owner, "stderr").append(owner.err, text);
    else
        keeper(target.out, owner, "stdout").append(owner.out, text);
}

void cell_book::record_display(page& target, const entry& logged) {
    auto& owner = *target.what;
    if (std::exchange(target.clear_before_next, false)) owner.displays.clear();
    cell_output output{logged.seq, logged.type, display_id_of(*logged.message)};
    if (!output.display_id.empty()) displays_[output.display_id] = owner.id;
    if (logged.type == "execute_result") {
        owner.result = std::move(output);
        if (!is_final(owner.status)) target.result = logged.message;
    } else {
        owner.displays.push_back(std::move(output));
    }
}

void cell_book::update_display(const entry& logged) {
    const auto display_id = display_id_of(*logged.message);
    auto place = displays_.find(display_id);
    auto shown_in = place == displays_.end() ? nullptr : find_known(place->second);
    if (!shown_in) return;
    for (auto& each : shown_in->displays)
        if (each.display_id == display_id) each.seq = logged.seq;
    if (!shown_in->result || shown_in->result->display_id != display_id) return;
    shown_in->result->seq = logged.seq;
    if (auto& shown = page_of(*shown_in); shown.result) shown.result = logged.message;
}

text_keeper& cell_book::keeper(std::unique_ptr<text_keeper>& place, const cell& owner, const char* suffix) {
    if (!place) place = std::make_unique<text_keeper>(files_directory_, owner.id + "." + suffix + ".txt", limits_);
    return *place;
}

std::string cell_book::finish(cell& which) {
    auto& target = page_of(which);
    if (target.out) target.out->finish();
    if (target.err) target.err->finish();
    auto last = std::exchange(target.result, nullptr);
    return last ? last->content : std::string();
}

}  // namespace gateway::sessions
