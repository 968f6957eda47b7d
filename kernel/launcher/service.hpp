// The launcher's loop: commands from the gateway on one side, the boxes and the zygotes on the other. Single-threaded.
#pragma once

#include <poll.h>

#include <chrono>
#include <list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernel/launcher/nursery.hpp"
#include "kernel/launcher/output_file.hpp"
#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/box.hpp"
#include "kernel/sandbox/control_groups.hpp"

namespace kernel {

class service {
  public:
    // The socket is the caller's. `how` boxes are made; the calling process is the reaper of its descendants, and has
    // SIGCHLD blocked.
    service(int socket, const isolation& how, id_range ids);
    // Until the peer has gone; then every box has been killed and reaped.
    void run();

  private:
    struct living {
        launch_request request;
        output_file output;
        control_group group;  // declared before what lives in it
        box inside;
        // When a zygote forked the kernel: its pid and pidfd, whether its status was told, and since when not.
        int forked = 0;
        file_descriptor process{};
        bool told = false;
        std::optional<zygote::clock::time_point> untold_since{};
        bool again = false;  // this is the second box for it
        bool answered = false;
        bool silent = false;    // its init will report nothing more
        std::string failure{};  // why it will not run; told when its box is empty
    };

    // A program beside a kernel, until it was reaped.
    struct guest {
        std::string box;
        file_descriptor reports;  // until its end: then it runs, or has failed
        int pid = 0;
        int early_signal = 0;  // for a group that is not known yet
        bool sweep = false;
        std::string failure{};
    };

    bool receive_command();
    using files = std::vector<file_descriptor>;  // that came with a command
    void handle(const launch_request& what, files&);
    void handle(const signal_command& what, files&);
    void handle(const kill_command& what, files&);
    void handle(const prepare_command& what, files&);
    void handle(const run_request& what, files& standard);
    void handle(const run_signal& what, files&);
    void handle(const limit_command& what, files&);

    void look_after_runs();
    void update_run(std::map<std::string, guest>::iterator which);
    std::map<std::string, guest>::iterator find_run(int pid);
    static void before_reaping(const guest& which);
    void end_run(std::map<std::string, guest>::iterator which, int status);
    bool has_ended(const std::string& box);

    void forget_requests();
    void update(const std::string& id, living& each);
    reply finish(const std::string& id, living& each);
    void look_after_boxes(const std::vector<pollfd>& waited);
    void bury_dying();

    void ask_for_kernel(living& each);
    void look_after_zygotes();
    void handle(const nursery::forked& what);
    void handle(const nursery::failed& what);
    void handle(const nursery::ended& what);
    void launch_again(living& each);
    box make_box(const launch_request& what, const output_file& output, const control_group& group);
    void fail(living& each, const std::string& error);
    void check_untold(living& each);
    void reap_children();
    bool is_watched(int pid) const;

    std::vector<pollfd> what_to_wait_for() const;
    int time_to_wait() const;
    void tick();
    void kill_all();
    void answer(const reply& what, std::span<const int> with = {});

    int socket_;
    isolation how_;
    box_users users_;         // declared before the boxes that have them
    control_groups groups_;   // likewise
    file_descriptor deaths_;  // of children: a signalfd
    nursery nursery_;
    std::map<std::string, living> boxes_;
    std::map<std::string, guest> runs_;
    std::list<box> dying_;  // given up, until they are empty
    std::chrono::steady_clock::time_point ticked_;
    bool unswept_ = true;  // control groups are still to be removed
};

}  // namespace kernel
