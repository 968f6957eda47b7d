#include "gateway/sessions/stream_merge.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "messaging/json_members.hpp"

namespace gateway::sessions {
namespace {

// As the kernel wrote them, escapes and all: joined so, no character changes.
struct stream_text {
    std::string_view name;  // a string literal
    std::string_view text;  // what is between the quotes
};

std::optional<stream_text> parse_stream(const entry& from) {
    if (from.kind != entry_kind::message || from.type != "stream" || !from.message->buffers.empty())
        return std::nullopt;
    const messaging::json_members content(from.message->content);
    if (content.size() != 2 || !content.is_text("name") || !content.is_text("text")) return std::nullopt;
    const auto literal = content.value("text");
    return stream_text{content.value("name"), literal.substr(1, literal.size() - 2)};
}

// Parts that belong together, gathered until one does not.
class stream_run {
  public:
    stream_run(std::vector<shared_entry>& to, std::size_t most_text) : to_(to), most_text_(most_text) {}

    void add(shared_entry next) {
        auto parsed = parse_stream(*next);
        if (!parsed || !joins(*next, *parsed)) flush();
        if (!parsed) {
            to_.push_back(std::move(next));
            return;
        }
        if (!last_) first_seq_ = next->first_seq;
        ++parts_;
        name_ = parsed->name;
        text_ += parsed->text;
        last_ = std::move(next);
    }

    void flush() {
        if (!last_) return;
        to_.push_back(parts_ == 1 ? std::move(last_) : make_merged());
        last_.reset();
        parts_ = 0;
        text_.clear();
    }

  private:
    bool joins(const entry& next, const stream_text& parsed) const {
        return last_ && next.parent == last_->parent && next.client == last_->client &&
               next.cell_id == last_->cell_id && parsed.name == name_ &&
               text_.size() + parsed.text.size() <= most_text_;
    }

    shared_entry make_merged() const {
        auto message = std::make_shared<messaging::message>(*last_->message);
        message->content = R"({"name":)" + name_ + R"(,"text":")" + text_ + R"("})";
        auto merged = std::make_shared<entry>(*last_);
        merged->first_seq = first_seq_;
        merged->message = std::move(message);
        return merged;
    }

    std::vector<shared_entry>& to_;
    std::size_t most_text_;
    shared_entry last_;
    std::uint64_t first_seq_ = 0;
    std::size_t parts_ = 0;
    std::string name_;
    std::string text_;
};

}  // namespace

std::vector<shared_entry> merge_streams(std::vector<shared_entry> entries, std::size_t most_text) {
    std::vector<shared_entry> merged;
    stream_run run(merged, most_text);
    for (auto& each : entries) run.add(std::move(each));
    run.flush();
    return merged;
}

}  // namespace gateway::sessions
