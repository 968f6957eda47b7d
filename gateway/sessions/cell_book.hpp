// The cells of a session: kept in order, found by id or by the msg_id of their request, filled from the kernel's
// output. Owned by one session; io thread.
#pragma once

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

    // Makes `added` known (its id and msg_id are set). `hidden` ones (silent) are found by id but not listed.
    std::shared_ptr<cell> add(cell added, bool hidden);
    std::shared_ptr<cell> find(const std::string& cell_id) const;
    std::shared_ptr<cell> find_by_request(const std::string& msg_id) const;
    std::vector<std::shared_ptr<const cell>> list(std::uint64_t after, std::size_t limit) const;
    // Cells that were sent with this idempotency key, the newest first.
    std::vector<std::shared_ptr<const cell>> with_key(const std::string& idempotency_key) const;

    // Takes an output message (stream, display_data, …) that the log has as `logged`.
    void record(cell& owner, const entry& logged);
    // The cell is over for now: closes its files.
    void finish(cell& which);

  private:
    struct page {
        std::shared_ptr<cell> what;
        std::unique_ptr<text_keeper> out;
        std::unique_ptr<text_keeper> err;
        bool clear_before_next = false;
        bool hidden = false;
    };
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
};

}  // namespace gateway::sessions
