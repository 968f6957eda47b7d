// The interpreter as something to fork kernels from: everything is imported, nothing runs. Main thread of a zygote.
#pragma once

#include <vector>

#include "kernel/interpreter/options.hpp"
#include "kernel/launcher/change_times.hpp"
#include "kernel/zygote/forkable.hpp"

namespace kernel {

class python_forkable final : public forkable {
  public:
    explicit python_forkable(options given) : given_(std::move(given)) {}

    void prepare() override;
    pid_t fork() override;
    int run_child(const child_options& what) override;
    bool stale() override { return change_times_of(places_) != times_; }

  private:
    options given_;
    std::vector<std::string> places_;  // what prepare() imported from
    change_times times_;
};

}  // namespace kernel
