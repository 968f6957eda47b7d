// The cells of a session: kept in order, found by id or by the msg_id of their request, filled from the kernel's
// output. Owned by one session; io thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/sessions/cell.hpp"
#include "gateway/sessions/entry.hpp"
#include "gateway/sessions/text_keeper.hpp"

namespace gateway::sessions {

class cell_book {
  public:
    cell_book(std::string files_directory, text_limits limits);

    // Where the cells of an earlier gateway are, in order; asked once, when somebody wants one that may be among them.
    struct earlier_cell {
        cell what;
        bool hidden = false;
    };
    void set_earlier(std::function<std::vector<earlier_cell>()> load) { earlier_ = std::move(load); }

    // Makes `added` known (its id and msg_id are set). `hidden` ones (silent) are found by id but not listed.
    std::shared_ptr<cell> add(cell added, bool hidden);
    std::shared_ptr<cell> find(const std::string& cell_id);
    std::shared_ptr<cell> find_by_request(const std::string& msg_id) const;
    std::vector<std::shared_ptr<const cell>> list(std::uint64_t after, std::size_t limit);
    // Cells that were sent with this idempotency key, the newest first.
    std::vector<std::shared_ptr<const cell>> with_key(const std::string& idempotency_key);
    bool is_hidden(const cell& which) const { return pages_.at(which.id).hidden; }

    // Takes an output message (stream, display_data, …) that the log has as `logged`.
    void record(cell& owner, const entry& logged);
    // The cell is over for now: closes its files. The content of its execute_result, empty without one.
    std::string finish(cell& which);

  private:
    struct page {
        std::shared_ptr<cell> what;
        std::unique_ptr<text_keeper> out;
        std::unique_ptr<text_keeper> err;
        messaging::shared_message result;  // of a cell that has not ended
        bool clear_before_next = false;
        bool hidden = false;
    };
    std::shared_ptr<cell> find_known(const std::string& cell_id) const;
    void load_earlier();
    page& page_of(const cell& which);
    void record_stream(page& target, const entry& logged);
    void record_display(page& target, const entry& logged);
    void update_display(const entry& logged);
    text_keeper& keeper(std::unique_ptr<text_keeper>& place, const cell& owner, const char* suffix);

    std::string files_directory_;
    text_limits limits_;
    std::vector<std::string> order_;
    std::unordered_map<std::string, page> pages_;
    std::unordered_map<std::string, std::string> by_request_;
    std::unordered_multimap<std::string, std::string> by_key_;
    std::unordered_map<std::string, std::string> displays_;  // display_id → cell id
    std::function<std::vector<earlier_cell>()> earlier_;     // until it was asked
};

}  // namespace gateway::sessions
