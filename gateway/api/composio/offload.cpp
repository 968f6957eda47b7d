#include "gateway/api/composio/offload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "gateway/api/agent/result_file.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/base/thread_pool.hpp"
#include "messaging/utf8.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t most_parsed_bytes = 1u << 20;  // a tree has many times the size of its text
constexpr std::size_t most_task_bytes = 40;
constexpr int most_depth = 8;
constexpr std::size_t characters_a_token = 4;

struct cut_rules {
    std::size_t characters;  // of a text
    std::size_t items;       // of an array
    std::size_t members;     // of an object
};
// Tried one after another until the preview is small enough.
constexpr cut_rules tries[] = {{2'000, 50, 100}, {500, 10, 40}, {200, 3, 20}, {60, 1, 8}};

class cutter {
  public:
    explicit cutter(cut_rules rules) : rules_(rules) {}

    json cut(const json& from, int depth = 0) {
        if (from.is_string()) return cut_text(from.get_ref<const std::string&>());
        if (!from.is_structured()) return from;
        if (depth == most_depth) {
            is_whole = false;
            return "...nested deeper";
        }
        return from.is_array() ? cut_array(from, depth) : cut_object(from, depth);
    }

    bool is_whole = true;

  private:
    json cut_text(const std::string& text) {
        auto head = agent::head_of(text, rules_.characters);
        if (head.size() == text.size()) return text;
        is_whole = false;
        const auto left = count_characters(std::string_view(text).substr(head.size()));
        return fmt::format("{}...{} more characters", head, left);
    }
    json cut_array(const json& from, int depth) {
        json made = json::array();
        for (std::size_t at = 0; at < std::min(from.size(), rules_.items); ++at)
            made.push_back(cut(from[at], depth + 1));
        if (from.size() > rules_.items) {
            is_whole = false;
            made.push_back(fmt::format("...{} more items", from.size() - rules_.items));
        }
        return made;
    }
    json cut_object(const json& from, int depth) {
        json made = json::object();
        for (const auto& [name, value] : from.items()) {
            if (made.size() == rules_.members) {
                is_whole = false;
                made["..."] = fmt::format("...{} more members", from.size() - rules_.members);
                break;
            }
            made[name] = cut(value, depth + 1);
        }
        return made;
    }

    cut_rules rules_;
};

preview head_only(std::string_view data, std::size_t most) {
    const auto head = agent::head_of(data, most);
    const auto left = count_characters(data.substr(head.size()));
    return {to_text({{"beginning_of_json", fmt::format("{}...{} more characters", head, left)}}), false};
}

std::string file_name(const std::string& task) {
    auto name = task.substr(0, most_task_bytes);
    auto is_plain = [](unsigned char byte) { return std::isalnum(byte) || byte == '-' || byte == '_'; };
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_plain)) name = "task";
    // Two calls of one task, or of two with one word for an id, never write to the same file.
    return fmt::format("mex/{}_{}.json", name, random_hex(6));
}

}  // namespace

std::size_t count_characters(std::string_view utf8) {
    return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), messaging::begins_character));
}

preview preview_of(std::string_view data, std::size_t most) {
    if (data.size() > most_parsed_bytes) return head_only(data, most);
    const auto parsed = tools::parse_json(data);
    if (!parsed) return head_only(data, most);
    for (const auto& each : tries) {
        cutter cut(each);
        auto text = to_text(cut.cut(*parsed));
        if (count_characters(text) <= most) return {std::move(text), cut.is_whole};
    }
    return head_only(data, most);
}

awaitable<preview> make_preview(asio::thread_pool& pool, std::shared_ptr<const std::string> data, std::size_t most) {
    if (data->size() <= work_for_pool) co_return preview_of(*data, most);
    auto work = [data, most] { return preview_of(*data, most); };
    co_return co_await run_on(pool, std::move(work));
}

awaitable<result<std::string>> keep_pieces(files::shared_store store, asio::thread_pool& pool, std::string task,
                                           files::shared_pieces pieces) {
    auto path = files::parse_path(file_name(task));
    if (!path) co_return path.error();
    const auto seen_as = fmt::format("{}/{}", mounts::files_in_box, path->text());
    mounts::file_condition fresh;
    fresh.must_not_exist = true;
    auto written = co_await files::write(std::move(store), pool, std::move(*path), std::move(pieces), std::move(fresh));
    if (!written) co_return written.error();
    co_return seen_as;
}

json file_info(const result<std::string>& kept, std::size_t characters) {
    const auto tokens = characters / characters_a_token;
    if (!kept)
        return {{"file_path", nullptr},
                {"message",
                 "The response could not be saved, so what data_preview leaves out is lost: " + kept.error().message},
                {"tokens", tokens},
                {"instructions", "Make room in /mnt/files and call again, or ask for less at a time."}};
    return {{"file_path", *kept},
            {"message", fmt::format("Saved large response to {} ({} tokens)", *kept, tokens)},
            {"tokens", tokens},
            {"instructions", fmt::format("data_preview is INCOMPLETE where it says so: read the whole with "
                                         "json.load(open('{}')) in COMPOSIO_REMOTE_WORKBENCH.",
                                         *kept)}};
}

}  // namespace gateway::api::composio
