// What a session is made of: its directories, the kernel's options, a warm kernel when one fits.
#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "gateway/base/thread_pool.hpp"
#include "gateway/kernels/zygotes.hpp"
#include "gateway/sessions/live_registry.hpp"
#include "mounts/local_files.hpp"

namespace gateway::sessions {
namespace {

constexpr std::size_t helper_key_bytes = 32;

failure directory_failure(const mounts::problem& why) { return {errc::io_error, why.text}; }

}  // namespace

result<void> live_registry::open_directories() {
    auto opened = mounts::session_directories::open(parts_.data_dir, parts_.limited_dir);
    if (!opened) return directory_failure(opened.error());
    directories_ = std::move(*opened);
    auto roots = mounts::work_roots::make(parts_.work_roots);
    if (!roots) return failure{errc::invalid_request, "kernels.work_roots: " + roots.error().text};
    roots_ = std::move(*roots);
    auto named = mounts::to_bind_mounts(parts_.named_mounts, {parts_.data_dir, parts_.kernels.runtime_dir},
                                        parts_.kernels.read_only_paths);
    if (!named) return failure{errc::invalid_request, named.error().text};
    named_mounts_ = std::move(*named);
    return {};
}

result<kernels::kernel_options> live_registry::make_kernel(const kernels::kernelspec& spec, std::string kernel_id,
                                                           bool own_network) const {
    auto paths = directories_->create(kernel_id);
    if (!paths) return directory_failure(paths.error());
    kernels::kernel_options made;
    made.id = std::move(kernel_id);
    made.spec = spec;
    made.limits = to_box_limits(parts_.limits.sizes.of({}, false));
    furnish(made, *paths, {});
    made.own_network = own_network;
    return made;
}

void live_registry::furnish(kernels::kernel_options& made, const mounts::session_paths& with,
                            const asked_settings& settings) const {
    made.mounts = mounts::box_mounts(with);
    made.mounts.insert(made.mounts.end(), named_mounts_.begin(), named_mounts_.end());
    made.helper_key = random_hex(helper_key_bytes);
    made.preload_metadata = parts_.preload_metadata;
    made.cell_defaults = to_json(choose_settings(parts_.limits.cells, origin::jupyter, settings));
}

session_parts live_registry::parts_for(const std::string& id, session_options options) const {
    session_parts made{
        parts_.ex, parts_.pool, parts_.kernels, parts_.budget, parts_.limits, id, std::move(options), {}, {}, {},
        {},        {}};
    made.network = parts_.network;
    if (made.options.made_by == origin::agent) made.keeper = keeper_.get();
    return made;
}

void live_registry::prepare_zygotes() {
    std::vector<std::string> names = {default_kernel(), parts_.force_kernel};
    for (const auto& each : parts_.warm)
        if (each.count > 0) names.push_back(each.spec_name);
    kernels::prepare_zygotes(parts_.kernels, parts_.specs, names);
}

// Pool kernels stand outside of the limits until a session takes one.
void live_registry::start_warm_pool() {
    if (parts_.warm.empty()) return;
    kernels::pool_settings settings;
    settings.sizes = parts_.warm;
    auto make = [this](const kernels::kernelspec& spec, bool own_network) {
        return make_kernel(spec, make_uuid(), own_network);
    };
    auto drop = [this](const kernels::kernel_options& gone) { remove_directories_later(gone.id); };
    warm_ = std::make_unique<kernels::pool>(parts_.kernels, parts_.specs, std::move(settings), make, drop);
    warm_->start();
}

std::optional<kernels::pooled_kernel> live_registry::take_warm(const session_options& options,
                                                               const kernels::kernelspec& spec) {
    if (!warm_ || !options.kernel_id.empty() || !known_sandbox(options.sandbox).enable) return std::nullopt;
    return warm_->take({spec.name, options.env, "/home/user", parts_.network.has_own(options.made_by)});
}

result<session_parts> live_registry::prepare(const std::string& id, const session_options& options,
                                             const kernels::kernelspec& spec) {
    auto made = parts_for(id, options);
    // Only people's kernels see host directories; an agent's files are its own.
    const auto place = options.made_by == origin::jupyter ? roots_.find(options.working_dir) : std::nullopt;
    auto warm = place ? std::nullopt : take_warm(options, spec);
    if (warm) {
        made.kernel = std::move(warm->options);
        made.ready_kernel = std::move(warm->running);
    } else {
        auto kernel = make_kernel(spec, options.kernel_id.empty() ? make_uuid() : options.kernel_id,
                                  parts_.network.has_own(options.made_by));
        if (!kernel) return kernel.error();
        made.kernel = std::move(*kernel);
        made.kernel.env = options.env;
        const auto settings = choose_settings(parts_.limits.cells, origin::jupyter, options.settings);
        made.kernel.cell_defaults = to_json(settings);
    }
    if (place) {
        made.kernel.working_dir = place->directory;
        made.kernel.mounts.push_back(place->root);
    }
    made.directory = made.kernel.id;
    place_files(made, directories_->paths(made.directory));
    if (auto limited = limit_files(made); !limited) {
        remove_directories_later(made.directory);
        return limited.error();
    }
    return made;
}

// Those of a kernel from the pool had no limit so far.
result<void> live_registry::limit_files(session_parts& made) const {
    auto& sizes = made.limits.sizes;
    if (!directories_->is_limited(made.directory)) sizes.without_disk();
    const auto& options = made.options;
    return limit_files(made.directory,
                       sizes.of(known_sandbox(options.sandbox).size, options.made_by == origin::jupyter));
}

result<void> live_registry::limit_files(const std::string& directory, const sandbox_size& size) const {
    auto limited = directories_->limit(directory, static_cast<std::uint64_t>(size.disk_bytes),
                                       static_cast<std::uint64_t>(size.files_bytes));
    if (!limited) return directory_failure(limited.error());
    return {};
}

void live_registry::place_files(session_parts& made, const mounts::session_paths& paths) const {
    made.files_directory = paths.files;
    made.files = std::make_shared<mounts::local_files>(paths.files, paths.uploads);
    made.packages_directory = paths.packages;
    made.log_directory = paths.log;
}

void live_registry::remove_directories_later(const std::string& directory) {
    tasks_.spawn("directories of " + directory, remove_directories(directory));
}

awaitable<void> live_registry::remove_directories(std::string directory) {
    if (parts_.keep_files) co_return;
    auto work = [all = &*directories_, id = directory] { return all->remove(id); };
    auto removed = co_await run_on(parts_.pool, std::move(work));
    if (!removed) log::warning("the directories of {}: {}", directory, removed.error().text);
}

}  // namespace gateway::sessions
