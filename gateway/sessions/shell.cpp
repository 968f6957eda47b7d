#include "gateway/sessions/shell.hpp"

namespace gateway::sessions {

awaitable<result<shared_command>> shell::run(command_options what) {
    auto starting = start(std::move(what));
    auto begun = co_await std::move(starting);
    if (!begun) co_return begun.error();
    co_return co_await wait_for(begun->cell_id);
}

}  // namespace gateway::sessions
