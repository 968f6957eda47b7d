#include "gateway/api/composio/cell_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "gateway/api/agent/mime.hpp"
#include "gateway/api/agent/output_finder.hpp"
#include "gateway/api/agent/result_file.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/sessions/json_reading.hpp"

namespace gateway::api::composio {
namespace {

constexpr const char* image_types[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};
constexpr const char* kept_files = "files in /mnt/files are kept";

json bundle_of(const sessions::shared_entry& from) {
    return from ? agent::mime_bundle(sessions::parse_object(from->message->content)) : agent::lost_bundle(false);
}

// A MIME value is a text or its lines.
std::string joined(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    std::string made;
    for (const auto& each : value.is_array() ? value : json::array())
        if (each.is_string()) made += each.get_ref<const std::string&>();
    return made;
}

void add_line(std::string& to, const std::string& text) {
    if (!to.empty() && !text.empty() && to.back() != '\n') to += '\n';
    to += text;
}

// Base64 as nbformat has it may be broken into lines.
std::string without_line_breaks(std::string text) {
    std::erase(text, '\n');
    return text;
}

std::optional<image> image_of(const json& bundle) {
    for (const char* mime : image_types)
        if (const auto& found = member(bundle, mime); !found.is_null())
            return image{mime, without_line_breaks(joined(found))};
    return std::nullopt;
}

std::string after_restart(const sessions::cell& what) {
    return what.kernel_restarted ? fmt::format("the sandbox was restarted, variables are gone, {}", kept_files)
                                 : fmt::format("variables and {}", kept_files);
}

std::string lost_because(const sessions::cell& what) {
    using enum sessions::cell_reason;
    switch (what.reason) {
        case oom:
            return what.error ? what.error->evalue : "it used more memory than the sandbox has";
        case restarted:
            return "the sandbox was restarted meanwhile";
        case start_failed:
            return "the sandbox did not start";
        default:
            return fmt::format("the sandbox ended ({})", to_string(what.reason));
    }
}

}  // namespace

awaitable<shown_cell> read_cell(shared_session of, const sessions::cell& what, const workbench_options& options) {
    shown_cell made;
    agent::output_finder outputs(of);
    std::size_t image_bytes = 0;
    auto outs = what.displays;
    if (what.result) outs.push_back(*what.result);
    std::string text;
    for (const auto& each : outs) {
        auto found = co_await outputs.find(each.seq, outs.back().seq);
        auto bundle = bundle_of(found);
        // Of what is past the limit only as much as a file may have.
        if (text.size() < options.text_file_max_bytes) add_line(text, joined(member(bundle, "text/plain")));
        auto picture = image_of(bundle);
        if (!picture) continue;
        image_bytes += picture->base64.size();
        if (image_bytes <= options.most_image_bytes) made.images.push_back(std::move(*picture));
    }
    auto head = agent::head_of(text, options.text_limit_chars);
    if (head.size() == text.size()) {
        made.results = std::move(text);
        co_return made;
    }
    auto kept = agent::keep_result(of->files_directory(), what.id, text, options.text_file_max_bytes);
    made.results_file = kept.file;
    made.results = text_with_trailer(std::string(head) + kept.note, kept.file);
    co_return made;
}

std::string text_with_trailer(const std::string& head, const std::string& file) {
    if (file.empty()) return head;
    return fmt::format(
        "{0}\n... (output truncated, full output saved to: {1})\nTo view the full output, run code: open('{1}').read()",
        head, file);
}

std::string why_failed(const sessions::cell& what) {
    using enum sessions::cell_status;
    switch (what.status) {
        case ok:
            return "";
        case error:
            return what.error ? fmt::format("{}: {}", what.error->ename, what.error->evalue) : "the code failed";
        case timeout:
            return fmt::format(
                "the cell ran into its deadline after {:.1f} s and was stopped: {}; work in smaller "
                "steps, and save checkpoints",
                static_cast<double>(what.duration.count()) / 1000, after_restart(what));
        case interrupted:
            return fmt::format("the cell was interrupted: {}", after_restart(what));
        case cancelled:
            return "the cell was cancelled before it began";
        case lost:
            return fmt::format("the cell was lost: {}; variables are gone{}", lost_because(what),
                               kept_after(what.reason));
        case queued:
        case running:
            break;
    }
    return "the cell has not ended";
}

const char* kept_after(sessions::cell_reason why) {
    using enum sessions::cell_reason;
    const bool is_over = why == session_ended || why == culled || why == gateway_ended;
    return is_over ? "" : ", files in /mnt/files are kept";
}

// CSI sequences: ESC [ … a letter.
std::string traceback_text(const sessions::cell_error& what) {
    std::string all;
    for (const auto& each : what.traceback) all += each + "\n";
    std::string made;
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (all[at] != '\x1b') {
            made += all[at];
            continue;
        }
        while (at + 1 < all.size() && !(all[at] >= '@' && all[at] <= '~' && all[at] != '[')) ++at;
    }
    return made;
}

}  // namespace gateway::api::composio
