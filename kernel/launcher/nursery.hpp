// The zygotes of a launcher: one for each distinct command, started when it is first needed or ahead, replaced when it
// ended, hangs or is out of date; and the kernels that wait to be forked. Owned by the launcher's service, on its one
// thread; nothing here waits.
#pragma once

#include <poll.h>

#include <deque>
#include <list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel/launcher/zygote.hpp"

namespace kernel {

class nursery {
  public:
    // What became of a job, by its id.
    struct forked {
        std::string id;
        int pid = 0;
    };
    struct failed {
        std::string id;
        std::string error;
        bool again = false;  // through no fault of the job: it may be tried once more, in a box of its own
    };
    // Of a kernel, told by its zygote; of those whose zygote has gone the launcher is the parent.
    struct ended {
        int pid = 0;
        int status = 0;
    };
    using event = std::variant<forked, failed, ended>;

    explicit nursery(isolation how) : how_(how) {}

    // Nothing, if it is there; why it cannot be started is told on stderr, and to the launches that need it.
    void prepare(const zygote_command& what);
    // Exactly one forked or failed will follow, unless forget() comes first.
    void add(const zygote_command& what, fork_job job);
    void forget(const std::string& id);
    void forget_all();
    // Ends the zygote of this command, if there is one, and starts another.
    void replace(const zygote_command& what);

    void wait_for(std::vector<pollfd>& waited) const;
    std::optional<zygote::clock::time_point> deadline() const;
    // What has happened; goes on with what waits. To be called whenever a descriptor of wait_for() is ready, the
    // deadline has come, or a job was added.
    std::vector<event> advance();

    bool has_process(int pid) const;
    void trim_outputs();
    void kill_all();

  private:
    struct nest {
        zygote_command command;
        std::optional<zygote> inside;
        std::deque<fork_job> waiting;
        bool served = false;       // the zygote inside has forked a kernel
        bool begun_again = false;  // the one before it was killed, or hung, before it was ready
        std::string passed_on;     // what a zygote printed while it started, as it was told on stderr
    };

    nest& nest_of(const zygote_command& what);
    void start(nest& where);
    void begin_again(nest& where, const std::string& error);
    void give_up(nest& where, const std::string& error);
    void retire(nest& where);
    void fail_current(nest& where, const std::string& error);
    void receive(nest& where);
    void receive_leaving();
    void handle(nest& where, const zygote_reply& what);
    void pass_on(nest& where);
    void refused(nest& where, const fork_refusal& what);
    void check_end(nest& where);
    void check_deadline(nest& where);
    void go_on(nest& where);

    isolation how_;
    std::list<nest> nests_;
    std::list<zygote> leaving_;  // killed, until they are gone
    std::vector<event> events_;
};

}  // namespace kernel
