#include "gateway/api/agent/notebook_cell.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gateway/api/agent/json_text.hpp"
#include "gateway/api/agent/mime.hpp"
#include "gateway/sessions/cell_events.hpp"
#include "gateway/sessions/json_reading.hpp"
#include "messaging/json_members.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;
using sessions::entry_kind;
using sessions::object_of;
using sessions::parse_object;
using sessions::shared_entry;
using sessions::text_of;

// A stream's text is a list of strings in nbformat; longer ones would have to be in memory whole.
constexpr std::size_t text_part_bytes = 64u << 10;

// What a kernel says is not always a count: nbformat takes none below 0.
json cell_count(const sessions::cell& from) {
    return from.execution_count && *from.execution_count >= 0 ? json(*from.execution_count) : json(nullptr);
}

json count_or_null(const json& content, const sessions::cell& from) {
    auto told = content.find("execution_count");
    if (told == content.end() || !told->is_number_integer()) return cell_count(from);
    return told->is_number_unsigned() ? *told : json(nullptr);
}

json metadata_of(const sessions::cell& from) {
    auto about = sessions::cell_summary(from);
    about.erase("error");
    json made = {{"cellgate", std::move(about)}};
    if (auto id = text_of(parse_object(from.metadata), "cellId"); !id.empty()) made["cellId"] = id;
    // The words that JupyterLab records timings in.
    auto& execution = made["execution"] = json::object();
    if (from.started_at) execution["iopub.status.busy"] = iso8601(*from.started_at);
    if (from.ended_at) execution["iopub.status.idle"] = iso8601(*from.ended_at);
    return made;
}

json error_output(const json& content) {
    json made = {{"output_type", "error"},
                 {"ename", text_of(content, "ename")},
                 {"evalue", text_of(content, "evalue")},
                 {"traceback", json::array()}};
    auto lines = content.find("traceback");
    if (lines == content.end() || !lines->is_array()) return made;
    for (const auto& line : *lines)
        if (line.is_string()) made["traceback"].push_back(line);
    return made;
}

std::string display_id_of(const json& content) { return text_of(object_of(content, "transient"), "display_id"); }

// Where a display was last updated: its own seq when it never was.
std::uint64_t newest_of(const sessions::cell& from, const std::string& display_id, std::uint64_t seq) {
    if (display_id.empty()) return seq;
    for (const auto& each : from.displays)
        if (each.display_id == display_id) return std::max(each.seq, seq);
    if (from.result && from.result->display_id == display_id) return std::max(from.result->seq, seq);
    return seq;
}

}  // namespace

awaitable<bool> notebook_cell::write(std::string& to) {
    if (cell_.restored) {
        write_restored(to);
        co_return false;
    }
    if (!entries_) {
        auto after = co_await find_first_shown();
        entries_ = std::make_unique<cell_entries>(session_, cell_.id, after, cell_.seq_last);
        write_head(to);
        co_return true;
    }
    auto next = co_await entries_->next();
    if (next) {
        co_await write_output(std::move(next), to);
        co_return true;
    }
    end_stream(to);
    to += "]}";
    co_return false;
}

// Of an earlier gateway: its output is what its record kept.
void notebook_cell::write_restored(std::string& to) {
    write_head(to);
    if (!cell_.out.head.empty()) write_text("stdout", cell_.out.head, to);
    if (!cell_.err.head.empty()) write_text("stderr", cell_.err.head, to);
    for (std::size_t at = 0; at < cell_.displays.size(); ++at)
        write_object({{"output_type", "display_data"}, {"data", lost_bundle(true)}, {"metadata", json::object()}}, to);
    if (!cell_.kept_result.empty()) {
        const auto content = parse_object(cell_.kept_result);
        write_object({{"output_type", "execute_result"},
                      {"execution_count", count_or_null(content, cell_)},
                      {"data", mime_bundle(content)},
                      {"metadata", object_of(content, "metadata")}},
                     to);
    }
    if (cell_.error)
        write_object({{"output_type", "error"},
                      {"ename", cell_.error->ename},
                      {"evalue", cell_.error->evalue},
                      {"traceback", cell_.error->traceback}},
                     to);
    end_stream(to);
    to += "]}";
}

// The seq behind which nothing was cleared any more: a notebook shows what a clear_output left.
awaitable<std::uint64_t> notebook_cell::find_first_shown() {
    cell_entries all(session_, cell_.id, cell_.seq_first, cell_.seq_last);
    auto after = cell_.seq_first;
    bool clears_with_next = false;
    for (;;) {
        auto each = co_await all.next();
        if (!each) break;
        if (each->kind == entry_kind::gap) continue;
        if (each->type == "clear_output") {
            clears_with_next = messaging::json_members(each->message->content).is_true("wait");
            if (!clears_with_next) after = each->seq;
        } else if (std::exchange(clears_with_next, false)) {
            after = each->seq - 1;
        }
    }
    co_return after;
}

void notebook_cell::write_head(std::string& to) const {
    json made = {{"cell_type", "code"},
                 {"id", cell_.id},
                 {"execution_count", cell_count(cell_)},
                 {"metadata", metadata_of(cell_)},
                 {"source", cell_.code}};
    to += dump(made);
    to.pop_back();
    to += ",\"outputs\":[";
}

awaitable<void> notebook_cell::write_output(shared_entry what, std::string& to) {
    if (what->kind == entry_kind::gap) {
        write_text("stderr",
                   fmt::format("[cellgate: entries {} to {} of this session's log are no longer kept]\n",
                               what->gap_from, what->seq),
                   to);
    } else if (what->type == "stream") {
        const messaging::json_members content(what->message->content);
        auto name = content.text("name");
        write_text(name.empty() ? "stdout" : name, content.text("text"), to);
    } else if (what->type == "display_data" || what->type == "execute_result") {
        co_await write_display(std::move(what), to);
    } else if (what->type == "error") {
        write_object(error_output(parse_object(what->message->content)), to);
    }
}

awaitable<void> notebook_cell::write_display(shared_entry what, std::string& to) {
    auto content = parse_object(what->message->content);
    auto newest = newest_of(cell_, display_id_of(content), what->seq);
    json made = {{"output_type", what->type}};
    if (what->type == "execute_result") made["execution_count"] = count_or_null(content, cell_);
    if (newest != what->seq) {
        auto update = co_await shown_.find(newest, newest);
        if (update) content = parse_object(update->message->content);
    }
    made["data"] = mime_bundle(content);
    made["metadata"] = object_of(content, "metadata");
    write_object(made, to);
}

void notebook_cell::write_object(const json& what, std::string& to) {
    end_stream(to);
    if (std::exchange(any_output_, true)) to += ",";
    to += dump(what);
}

void notebook_cell::write_text(const std::string& name, const std::string& text, std::string& to) {
    if (stream_ != name) {
        end_stream(to);
        if (std::exchange(any_output_, true)) to += ",";
        to += R"({"output_type":"stream","name":)" + dump(name) + R"(,"text":[)";
        stream_ = name;
        any_text_ = false;
    }
    text_ += text;
    if (text_.size() >= text_part_bytes) flush_text(to);
}

void notebook_cell::flush_text(std::string& to) {
    if (text_.empty()) return;
    if (std::exchange(any_text_, true)) to += ",";
    to += dump(text_);
    text_.clear();
}

void notebook_cell::end_stream(std::string& to) {
    if (stream_.empty()) return;
    flush_text(to);
    to += "]}";
    stream_.clear();
}

}  // namespace gateway::api::agent
