#include "gateway/api/agent/cell_json.hpp"

#include <nlohmann/json.hpp>

#include "gateway/api/agent/json_text.hpp"
#include "gateway/api/agent/mime.hpp"
#include "gateway/api/agent/result_file.hpp"
#include "gateway/sessions/cell_events.hpp"
#include "gateway/sessions/json_reading.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

json restored_bundle(const std::string& content) {
    return content.empty() ? json(nullptr) : mime_bundle(sessions::parse_object(content));
}

json bundle_of(const sessions::shared_entry& from, bool restored) {
    return from ? mime_bundle(sessions::parse_object(from->message->content)) : lost_bundle(restored);
}

}  // namespace

awaitable<std::optional<std::string>> cell_writer::next() {
    std::optional<std::string> piece;
    if (step_ == step::head) {
        step_ = step::displays;
        piece = co_await begin();
    } else if (step_ == step::displays && displayed_ < cell_.displays.size()) {
        piece = co_await display(displayed_++);
    } else if (step_ == step::displays) {
        step_ = step::done;
        piece = "]}";
    }
    co_return piece;
}

// Everything but the displays, and the beginning of their array.
awaitable<std::string> cell_writer::begin() {
    auto made = sessions::cell_summary(cell_);
    made["code"] = cell_.code;
    made["stdout"] = cell_.out.head;
    made["stderr"] = cell_.err.head;
    made["result"] = restored_bundle(cell_.kept_result);
    if (cell_.result) {
        auto found = co_await outputs_.find(cell_.result->seq, cell_.result->seq);
        made["result"] = bundle_of(found, cell_.restored);
    }
    auto plain = made["result"].find("text/plain");
    if (plain != made["result"].end() && plain->is_string()) {
        const auto& text = plain->get_ref<const std::string&>();
        auto head = head_of(text, options_.text_limit_chars);
        if (head.size() < text.size()) {
            auto kept = keep_result(session_->files_directory(), cell_.id, text, options_.text_file_max_bytes);
            if (!kept.file.empty()) made["truncated"]["result"] = kept.file;
            *plain = std::string(head) + kept.note;
        }
    }
    auto text = dump(made);
    text.pop_back();
    text += ",\"displays\":[";
    co_return text;
}

awaitable<std::string> cell_writer::display(std::size_t which) {
    auto found = co_await outputs_.find(cell_.displays[which].seq, cell_.displays.back().seq);
    co_return (which == 0 ? "" : ",") + dump(bundle_of(found, cell_.restored));
}

}  // namespace gateway::api::agent
