// Programs beside kernels, from the request for one to the notice of its end: what the launcher's client knows of them.
// Owned by that client; io thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "gateway/base/async.hpp"
#include "gateway/kernels/launcher.hpp"

namespace gateway::kernels {

class run_table {
  public:
    using end_function = std::function<void(program_end)>;
    struct entry {
        entry(executor ex, end_function on_end) : answered(std::move(ex)), on_end(std::move(on_end)) {}
        event answered;
        std::optional<result<void>> outcome;
        end_function on_end;
    };

    explicit run_table(executor ex) : ex_(std::move(ex)) {}

    // The id must be new.
    std::shared_ptr<entry> add(const std::string& id, end_function on_end);
    // True while the launcher may know it.
    bool contains(const std::string& id) const { return runs_.contains(id); }
    void handle(const ::kernel::run_answer& answer);
    void handle(const ::kernel::run_end& end);
    // The launcher has gone, and every box with it.
    void fail_all(const failure& why);
    // Nobody is told any more.
    void forget_listeners();

  private:
    void tell_end(entry& of, program_end what);

    executor ex_;
    std::map<std::string, std::shared_ptr<entry>> runs_;
};

}  // namespace gateway::kernels
