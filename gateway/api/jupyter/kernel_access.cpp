#include "gateway/api/jupyter/kernel_access.hpp"

#include <utility>

#include "gateway/api/jupyter/attach_spec.hpp"

namespace gateway::api::jupyter {
namespace {

failure not_found(context& with, const std::string& id) {
    auto reason = with.registry.tombstone(id);
    std::string why = reason.empty()
                          ? "there is no kernel " + id
                          : "kernel " + id + " is gone: " + reason + "; start another with POST /api/kernels";
    return failure{errc::kernel_not_found, std::move(why)};
}

failure needs_session_scope(const char* what) {
    return failure{errc::forbidden, std::string(what) + " needs a key with the scope session; this one has execute, " +
                                        "which enters existing sessions through their Attach kernelspecs"};
}

result<sessions::kernel_entry> attach(context& with, const http::principal& caller, const std::string& session_id) {
    auto found = with.registry.find(session_id);
    if (!found || !caller.sees(found->options().user_id))
        return failure{errc::kernelspec_not_found, "there is no session " + session_id +
                                                       " to attach to; GET /api/kernelspecs lists those there are"};
    auto made = with.registry.attach(found->id(), caller.user_id);
    if (!made) return made.error();
    sessions::kernel_entry entry;
    entry.owner = std::move(found);
    entry.through = std::move(*made);
    return entry;
}

sessions::session_options session_options_for(context& with, const http::principal& caller, kernel_request what) {
    sessions::session_options made;
    made.user_id = acting_user(caller, what.username);
    made.made_by = sessions::origin::jupyter;
    made.kernel_name = with.options.force_kernel_name.empty() ? what.name : with.options.force_kernel_name;
    made.kernel_id = std::move(what.kernel_id);
    made.working_dir = std::move(what.working_dir);
    made.env = std::move(what.env);
    made.env["KERNEL_GATEWAY"] = "1";
    return made;
}

}  // namespace

const std::string& owner_of(const sessions::kernel_entry& kernel) {
    return kernel.through ? kernel.through->user_id : kernel.owner->options().user_id;
}

result<sessions::kernel_entry> find_kernel(context& with, const http::principal& caller, const std::string& id) {
    auto found = with.registry.find_kernel(id);
    if (found && caller.sees(owner_of(*found))) return std::move(*found);
    if (found) return failure{errc::kernel_not_found, "there is no kernel " + id};
    return not_found(with, id);
}

std::vector<sessions::kernel_entry> visible_kernels(context& with, const http::principal& caller) {
    auto all = with.registry.kernels();
    std::erase_if(all, [&](const auto& each) { return !each.listed || !caller.sees(owner_of(each)); });
    return all;
}

awaitable<result<sessions::kernel_entry>> start_kernel(context& with, http::principal caller, kernel_request what) {
    if (auto attached = find_attached_id(what.name)) co_return attach(with, caller, *attached);
    if (!caller.may(http::scope::session)) co_return needs_session_scope("starting a kernel");
    auto options = session_options_for(with, caller, std::move(what));
    auto made = co_await with.registry.create(std::move(options));
    if (!made) co_return made.error();
    sessions::kernel_entry entry;
    entry.owner = std::move(*made);
    co_return entry;
}

awaitable<result<void>> end_kernel(context& with, http::principal caller, sessions::kernel_entry kernel) {
    if (kernel.through) {
        with.registry.detach(kernel.through->kernel_id);
        co_return result<void>();
    }
    if (kernel.owner->options().made_by == sessions::origin::agent)
        co_return failure{errc::forbidden, "this kernel belongs to the agent session " + kernel.owner->id() +
                                               "; end it with DELETE /api/v1/sessions/" + kernel.owner->id()};
    if (!caller.may(http::scope::session)) co_return needs_session_scope("ending a kernel");
    co_return co_await with.registry.remove(kernel.owner->id(), kernels::end_reason::session_ended);
}

}  // namespace gateway::api::jupyter
