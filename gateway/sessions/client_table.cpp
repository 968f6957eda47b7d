#include "gateway/sessions/client_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "gateway/base/ids.hpp"

namespace gateway::sessions {
namespace {

// A client that died of a message this large would die of it again.
constexpr std::size_t resend_limit = 8u << 20;
// Gone clients that may still come back; the oldest is forgotten first.
constexpr std::size_t gone_limit = 64;
constexpr std::size_t merge_from = 64;

bool is_comm(const std::string& type) { return type.starts_with("comm_"); }

bool tells_of_a_restart(const entry& each) {
    return each.type == "status" && each.message->content.find("\"restarting\"") != std::string::npos;
}

}  // namespace

// What stays of a client between its connections.
struct client_table::record {
    std::string session_id;      // as the client gave it; empty for an anonymous one
    std::set<std::string> keys;  // what entries may be addressed to: its own, and of the client whose place it took
    std::string key;             // what its own requests are filed under
    std::uint64_t acknowledged = 0;
    std::uint64_t no_comms_before = 0;  // comm messages up to here belonged to another page
    std::uint64_t too_big = 0;          // the seq that is not sent again
    std::uint64_t told_of_restart = 0;  // the seq of the last `restarting` that it was sent
    bool spoke = false;                 // a message came from it
    bool had_requests = false;          // when it was cut
    std::uint64_t left = 0;             // order of leaving
    connection* open = nullptr;
};

class client_table::connection final : public jupyter_client {
  public:
    connection(client_table& table, std::shared_ptr<record> owner, std::uint64_t after, std::string via)
        : table_(&table), owner_(std::move(owner)), via_(std::move(via)), cursor_(table.host_.log().open(after)) {
        cursor_->set_filter([kept = owner_](const entry& each) { return takes(*kept, each); });
        cursor_->hold(true);
    }
    ~connection() override { disconnected(0); }

    awaitable<std::vector<delivery>> next(std::size_t max_bytes) override {
        std::vector<delivery> out;
        if (!first_.empty()) {
            for (auto& each : std::exchange(first_, {})) out.push_back(delivery{0, std::move(each)});
            co_return out;
        }
        while (out.empty() && reads_on()) {
            auto entries = co_await cursor_->next(max_bytes, merge_from, pace_);
            if (entries.empty() || !table_) break;
            for (const auto& each : entries) deliver(*each, out);
        }
        if (!reads_on()) out.clear();
        co_return out;
    }

    client_end end() const override { return end_; }

    void acknowledge(std::uint64_t seq) override {
        if (seq <= owner_->acknowledged || owner_->open != this) return;
        owner_->acknowledged = seq;
        cursor_->release(seq);
    }

    result<void> send(messaging::message what) override {
        if (!table_) return failure{errc::session_dead, "the session of this kernel has ended"};
        owner_->spoke = true;
        return table_->host_.forward(owner_->key, std::move(what));
    }

    void disconnected(std::uint64_t sending) override {
        if (!table_) return;
        if (sending > 0 && sending == big_seq_) owner_->too_big = sending;
        std::exchange(table_, nullptr)->closed(*this);
        cursor_->hold(false);
    }

    void finish(client_end why) {
        if (end_ != client_end::none) return;  // the first end decides, as it does at a WebSocket
        end_ = why;
        if (!reads_on()) cursor_->wake();
    }

    void say_first(messaging::shared_message what) {
        if (what) first_.push_back(std::move(what));
    }

    const std::string& via() const { return via_; }
    const std::shared_ptr<record>& owner() const { return owner_; }

  private:
    // At the gateway's end the log is told to its end; else there is another connection for it, or no kernel any more.
    bool reads_on() const { return end_ == client_end::none || end_ == client_end::gateway_ended; }

    static bool takes(const record& owner, const entry& each) {
        if (each.kind == entry_kind::gap) return true;
        if (each.kind != entry_kind::message) return false;
        if (!each.client.empty() && !owner.keys.contains(each.client)) return false;
        return !(each.seq <= owner.no_comms_before && is_comm(each.type));
    }

    // JupyterLab opens a new connection when it hears of a restart, and drops the requests that it has made by then:
    // hearing of the same one again there, it would drop those of the new kernel.
    bool first_time(std::uint64_t restart) {
        if (restart <= owner_->told_of_restart) return false;
        owner_->told_of_restart = restart;
        return true;
    }

    void deliver(const entry& each, std::vector<delivery>& out) {
        auto& host = table_->host_;
        if (each.kind == entry_kind::gap) {
            const auto text = fmt::format(
                "[cellgate: the output from {} to {} is gone: the session's log is full (output_log.disk_bytes)]\n",
                each.gap_from, each.seq);
            out.push_back(delivery{each.seq, host.note(text, last_parent_)});
            return;
        }
        if (tells_of_a_restart(each) && !first_time(each.seq)) return;
        last_parent_ = each.message->parent_header;
        if (each.message->size() <= resend_limit) {
            out.push_back(delivery{each.seq, each.message, each.first_seq != each.seq});
        } else if (each.seq == owner_->too_big) {
            const auto text = fmt::format(
                "[cellgate: a message of {} bytes broke the connection and is not sent again; it is in the session's "
                "cell {}]\n",
                each.message->size(), each.cell_id.empty() ? "log" : each.cell_id);
            out.push_back(delivery{each.seq, host.note(text, last_parent_)});
        } else {
            big_seq_ = each.seq;
            out.push_back(delivery{each.seq, each.message, each.first_seq != each.seq});
        }
    }

    client_table* table_;
    std::shared_ptr<record> owner_;
    std::string via_;
    std::unique_ptr<cursor> cursor_;
    stream_pace pace_;
    std::vector<messaging::shared_message> first_;
    client_end end_ = client_end::none;
    std::string last_parent_ = "{}";
    std::uint64_t big_seq_ = 0;
};

client_table::client_table(client_host& host) : host_(host) {}

client_table::~client_table() {
    for (auto& each : records_)
        if (each->open) each->open->disconnected(0);
}

std::shared_ptr<client_table::record> client_table::find(const std::string& session_id) const {
    if (session_id.empty()) return nullptr;
    auto found = std::find_if(records_.begin(), records_.end(),
                              [&](const auto& each) { return each->session_id == session_id; });
    return found == records_.end() ? nullptr : *found;
}

// The gone connection whose place a newcomer takes: the last that was cut with requests in flight, when nobody is here.
std::shared_ptr<client_table::record> client_table::find_heir() const {
    std::shared_ptr<record> last;
    for (const auto& each : records_) {
        if (each->open) return nullptr;
        if (each->had_requests && (!last || each->left > last->left)) last = each;
    }
    return last;
}

// A client is greeted until it speaks: jupyter_server makes a first connection for a browser that is gone by the time
// it stands, answers its pings, and reads nothing from it.
std::shared_ptr<jupyter_client> client_table::connect(const std::string& session_id, const std::string& via) {
    auto owner = find(session_id);
    if (!owner) owner = admit(session_id);
    if (auto* older = owner->open) {
        older->finish(client_end::replaced);
        older->disconnected(0);
    }
    auto opened = open(owner, owner->acknowledged, via);
    if (!owner->spoke) greet(*opened);
    return opened;
}

std::shared_ptr<client_table::record> client_table::admit(const std::string& session_id) {
    auto made = std::make_shared<record>();
    made->session_id = session_id;
    made->key = session_id.empty() ? "anonymous-" + random_hex(8) : session_id;
    made->keys = {made->key};
    const auto newest = host_.log().last_seq();
    auto heir_of = find_heir();
    if (heir_of) {
        made->keys.insert(heir_of->keys.begin(), heir_of->keys.end());
        made->acknowledged = heir_of->acknowledged;
        made->too_big = heir_of->too_big;
        made->told_of_restart = heir_of->told_of_restart;
        made->no_comms_before = newest;
        std::erase(records_, heir_of);
    } else {
        made->acknowledged = newest;
    }
    records_.push_back(made);
    forget_oldest();
    return made;
}

// An heir too: it is sent again only what its predecessor did not acknowledge.
void client_table::greet(connection& opened) const {
    opened.say_first(host_.status_message());
    auto question = host_.pending_question();
    if (!question) return;
    const auto& owner = *opened.owner();
    const bool comes_anyway = question->seq > owner.acknowledged && owner.keys.contains(question->client);
    if (!comes_anyway) opened.say_first(question->message);
}

std::shared_ptr<client_table::connection> client_table::open(std::shared_ptr<record> owner, std::uint64_t after,
                                                             const std::string& via) {
    auto opened = std::make_shared<connection>(*this, owner, after, via);
    owner->open = opened.get();
    return opened;
}

void client_table::closed(connection& gone) {
    auto& owner = *gone.owner();
    if (owner.open != &gone) return;
    owner.open = nullptr;
    owner.left = host_.log().last_seq() + 1;
    owner.had_requests = std::any_of(owner.keys.begin(), owner.keys.end(),
                                     [&](const std::string& key) { return host_.has_requests(key); });
}

void client_table::forget_oldest() {
    auto gone = [](const auto& each) { return !each->open; };
    if (std::count_if(records_.begin(), records_.end(), gone) <= static_cast<std::ptrdiff_t>(gone_limit)) return;
    records_.erase(std::find_if(records_.begin(), records_.end(), gone));
}

std::size_t client_table::connections() const {
    return static_cast<std::size_t>(
        std::count_if(records_.begin(), records_.end(), [](const auto& each) { return each->open != nullptr; }));
}

std::size_t client_table::connections_via(const std::string& kernel_id) const {
    return static_cast<std::size_t>(std::count_if(records_.begin(), records_.end(), [&](const auto& each) {
        return each->open && each->open->via() == kernel_id;
    }));
}

void client_table::end_all(client_end why) {
    for (auto& each : records_)
        if (each->open) each->open->finish(why);
}

void client_table::end_via(const std::string& kernel_id, client_end why) {
    for (auto& each : records_)
        if (each->open && each->open->via() == kernel_id) each->open->finish(why);
}

}  // namespace gateway::sessions
