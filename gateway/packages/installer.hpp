// Installs packages into sessions' site directories: one installation a session at a time, a few side by side, each
// within the deadline. Owned by the server; io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/packages/allow_list.hpp"
#include "gateway/packages/pip_environment.hpp"

namespace gateway::packages {

struct installer_settings {
    std::vector<std::string> allow = {well_known};
    index_settings index;
    milliseconds deadline{120'000};        // of one request, waiting for others included
    std::uint64_t max_bytes = 2ull << 30;  // of one session's site directory
    std::size_t max_distributions = 100;   // that one request installs
    std::uint64_t cache_bytes = 10ull << 30;
    std::size_t at_once = 2;
    std::string directory;    // DATA_DIR/packages: what is downloaded, and where it is unpacked
    std::string package_dir;  // holds cellgate_kernel and cellgate_installer
    std::map<std::string, std::string> inherited_env;
};

// What is asked for: a module that a cell imports, or a requirement as pip has it.
struct wanted_package {
    std::string module;       // empty: it was asked for by its name
    std::string requirement;  // "scikit-learn", "humanize==4.9"
};

struct package_request {
    std::string session;  // its id
    std::string python;   // of the session's kernel, absolute
    std::string site;     // the session's directory
    std::vector<wanted_package> wanted;
    bool upgrade = false;
};

struct installed_distribution {
    std::string name;
    std::string version;
    std::string module;  // that asked for it; empty for what came along

    bool operator==(const installed_distribution&) const = default;
};

struct refused_package {
    std::string what;  // the module, or the requirement
    std::string reason;

    bool operator==(const refused_package&) const = default;
};

struct package_outcome {
    std::vector<installed_distribution> installed;
    std::vector<refused_package> refused;
};

class installer {
  public:
    // `pool` outlives it.
    installer(executor ex, asio::thread_pool& pool, installer_settings settings);
    ~installer();
    // Clears what an earlier run left; io_error. Once, before install().
    result<void> start();

    // Never fails as a whole: what was not installed has a reason. Cancelled with its caller, and then it has ended
    // pip.
    awaitable<package_outcome> install(package_request request);
    // Ends what runs, and answers what waits.
    awaitable<void> stop();

  private:
    struct job;
    void pump();
    bool may_start(const job& which) const;
    awaitable<void> run(std::shared_ptr<job> which);
    awaitable<void> work(std::shared_ptr<job> which);
    void give_up(job& which, const std::string& reason);
    std::string input_of(const job& which, const std::string& staging) const;

    executor ex_;
    asio::thread_pool& pool_;
    installer_settings settings_;
    allow_list allowed_;
    std::deque<std::shared_ptr<job>> waiting_;
    std::vector<std::shared_ptr<job>> running_;
    bool stopping_ = false;
    event changed_;
    task_group tasks_;
};

}  // namespace gateway::packages
