// Results that are too large for an answer: the whole in a file of the session, the beginning in the answer, and an
// explicit word that it is not all. io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "gateway/base/async.hpp"
#include "gateway/files/store_calls.hpp"

namespace gateway::api::composio {

std::size_t count_characters(std::string_view utf8);

// Part of the JSON text `data`, as JSON: the beginnings of its arrays and texts, about `most` characters in all.
struct preview {
    std::string text;
    bool is_whole = false;
};
// Pure.
preview preview_of(std::string_view data, std::size_t most);
// In the pool when `data` is large.
awaitable<preview> make_preview(asio::thread_pool& pool, std::shared_ptr<const std::string> data, std::size_t most);

// A new file mex/TASK_….json with `pieces` one after another; how a session sees it. `task` may be anything. io_error,
// storage_full, and whatever else a file can meet with.
awaitable<result<std::string>> keep_pieces(files::shared_store store, asio::thread_pool& pool, std::string task,
                                           files::shared_pieces pieces);

// remote_file_info: where the whole is, or why it is nowhere.
nlohmann::json file_info(const result<std::string>& kept, std::size_t characters);

}  // namespace gateway::api::composio
