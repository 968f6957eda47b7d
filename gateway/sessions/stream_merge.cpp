#include "gateway/sessions/stream_merge.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace gateway::sessions {
namespace {

using nlohmann::json;

struct stream_text {
    std::string name;
    std::string text;
};

std::optional<stream_text> parse_stream(const entry& from) {
    if (from.kind != entry_kind::message || from.type != "stream" || !from.message->buffers.empty())
        return std::nullopt;
    auto content = json::parse(from.message->content, nullptr, false);
    if (!content.is_object() || content.size() != 2) return std::nullopt;
    auto name = content.find("name");
    auto text = content.find("text");
    if (name == content.end() || text == content.end() || !name->is_string() || !text->is_string()) return std::nullopt;
    return stream_text{std::move(name->get_ref<std::string&>()), std::move(text->get_ref<std::string&>())};
}

// Parts that belong together, gathered until one does not.
class stream_run {
  public:
    explicit stream_run(std::vector<shared_entry>& to) : to_(to) {}

    void add(shared_entry next) {
        auto parsed = parse_stream(*next);
        if (!parsed || !joins(*next, *parsed)) flush();
        if (!parsed) {
            to_.push_back(std::move(next));
            return;
        }
        if (!last_) first_seq_ = next->first_seq;
        ++parts_;
        gathered_.name = std::move(parsed->name);
        gathered_.text += parsed->text;
        last_ = std::move(next);
    }

    void flush() {
        if (!last_) return;
        to_.push_back(parts_ == 1 ? std::move(last_) : make_merged());
        last_.reset();
        parts_ = 0;
        gathered_ = {};
    }

  private:
    bool joins(const entry& next, const stream_text& parsed) const {
        return last_ && next.parent == last_->parent && next.client == last_->client &&
               next.cell_id == last_->cell_id && parsed.name == gathered_.name &&
               gathered_.text.size() + parsed.text.size() <= most_merged_text;
    }

    shared_entry make_merged() const {
        auto message = std::make_shared<messaging::message>(*last_->message);
        json content = {{"name", gathered_.name}, {"text", gathered_.text}};
        message->content = content.dump();
        auto merged = std::make_shared<entry>(*last_);
        merged->first_seq = first_seq_;
        merged->message = std::move(message);
        return merged;
    }

    std::vector<shared_entry>& to_;
    shared_entry last_;
    std::uint64_t first_seq_ = 0;
    std::size_t parts_ = 0;
    stream_text gathered_;
};

}  // namespace

std::vector<shared_entry> merge_streams(std::vector<shared_entry> entries) {
    std::vector<shared_entry> merged;
    stream_run run(merged);
    for (auto& each : entries) run.add(std::move(each));
    run.flush();
    return merged;
}

}  // namespace gateway::sessions
