// The interpreter as something to fork kernels from: everything is imported, nothing runs. Main thread of a zygote.
#pragma once

#include "kernel/interpreter/environment_stamp.hpp"
#include "kernel/interpreter/options.hpp"
#include "kernel/zygote/forkable.hpp"

namespace kernel {

class python_forkable final : public forkable {
  public:
    explicit python_forkable(options given) : given_(std::move(given)) {}

    void prepare() override;
    pid_t fork() override;
    int run_child(const child_options& what) override;
    bool stale() override { return stamp_.has_changed(); }

  private:
    options given_;
    environment_stamp stamp_;
};

}  // namespace kernel
