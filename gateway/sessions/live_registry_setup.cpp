// What a session is made of: its directories, the kernel's options, a warm kernel when one fits.
#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "gateway/base/thread_pool.hpp"
#include "gateway/sessions/live_registry.hpp"

namespace gateway::sessions {
namespace {

constexpr std::size_t helper_key_bytes = 32;

failure directory_failure(const mounts::problem& why) { return {errc::io_error, why.text}; }

}  // namespace

result<void> live_registry::open_directories() {
    auto opened = mounts::session_directories::open(parts_.data_dir);
    if (!opened) return directory_failure(opened.error());
    directories_ = std::move(*opened);
    auto roots = mounts::work_roots::make(parts_.work_roots);
    if (!roots) return failure{errc::invalid_request, "kernels.work_roots: " + roots.error().text};
    roots_ = std::move(*roots);
    if (parts_.keep_files) return {};
    auto cleared = directories_->remove_leftovers();
    if (!cleared) return directory_failure(cleared.error());
    return {};
}

kernels::kernel_options live_registry::make_kernel(const kernels::kernelspec& spec, const mounts::session_paths& paths) const {
    kernels::kernel_options made;
    made.id = make_uuid();
    made.spec = spec;
    made.mounts = mounts::box_mounts(paths);
    made.helper_key = random_hex(helper_key_bytes);
    return made;
}

result<session_parts> live_registry::prepare(const std::string& id, const session_options& options,
                                             const kernels::kernelspec& spec) {
    auto paths = directories_->create(id);
    if (!paths) return directory_failure(paths.error());
    auto kernel = make_kernel(spec, *paths);
    if (!options.kernel_id.empty()) kernel.id = options.kernel_id;
    kernel.env = options.env;
    // Only people's kernels see host directories; an agent's files are its own.
    const auto place = options.made_by == origin::jupyter ? roots_.find(options.working_dir) : std::nullopt;
    if (place) {
        kernel.working_dir = place->directory;
        kernel.mounts.push_back(place->root);
    }
    return session_parts{parts_.ex,         parts_.pool,  parts_.kernels, parts_.budget, parts_.limits, id, options,
                         std::move(kernel), paths->files, paths->log,     nullptr};
}

awaitable<void> live_registry::remove_directories(std::string session_id) {
    if (parts_.keep_files) co_return;
    auto work = [all = &*directories_, id = session_id] { return all->remove(id); };
    auto removed = co_await run_on(parts_.pool, std::move(work));
    if (!removed) log::warning("session {}: {}", session_id, removed.error().text);
}

}  // namespace gateway::sessions
