#include "gateway/kernels/run_table.hpp"

#include <boost/asio/post.hpp>
#include <csignal>
#include <utility>

namespace gateway::kernels {

std::shared_ptr<run_table::entry> run_table::add(const std::string& id, end_function on_end) {
    auto made = std::make_shared<entry>(ex_, std::move(on_end));
    runs_.emplace(id, made);
    return made;
}

void run_table::handle(const ::kernel::run_answer& answer) {
    auto found = runs_.find(answer.id);
    if (found == runs_.end()) return;
    auto which = found->second;
    if (answer.error.empty()) {
        which->outcome.emplace();
    } else {
        runs_.erase(found);
        which->outcome = failure{answer.box_ended ? errc::kernel_dead : errc::invalid_request, answer.error};
    }
    which->answered.notify_all();
}

void run_table::handle(const ::kernel::run_end& end) {
    auto found = runs_.find(end.id);
    if (found == runs_.end()) return;
    auto which = std::move(found->second);
    runs_.erase(found);
    tell_end(*which, {end.status, end.box_ended});
}

// Later, so that whoever runs what ends at once hears first that it ran.
void run_table::tell_end(entry& of, program_end what) {
    auto on_end = std::exchange(of.on_end, nullptr);
    if (on_end) asio::post(ex_, [on_end = std::move(on_end), what] { on_end(what); });
}

void run_table::fail_all(const failure& why) {
    for (auto& [id, each] : std::exchange(runs_, {})) {
        if (each->outcome) {
            tell_end(*each, {SIGKILL, true});
            continue;
        }
        each->outcome = why;
        each->answered.notify_all();
    }
}

void run_table::forget_listeners() {
    for (auto& [id, each] : runs_) each->on_end = nullptr;
}

}  // namespace gateway::kernels
