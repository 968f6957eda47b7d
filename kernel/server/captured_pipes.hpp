// Pipes that stand in for descriptors 1 and 2, and what is written into them by C code and subprocesses. Any thread.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/server/kernel_server.hpp"

namespace kernel {

class captured_pipes {
  public:
    using writer = std::function<void(output_stream, std::string_view, const parent_text&)>;

    // `write` is called by drain(), one call at a time, and gets whole characters as far as the writer wrote such.
    explicit captured_pipes(writer write);

    void add(int pipe, output_stream which);
    void set_parent(parent_text parent);
    // Passes on what is in the pipes now, and only that: somebody may write faster than it is read.
    void drain();
    // Those that may get more.
    std::vector<int> descriptors() const;

  private:
    struct captured_pipe {
        int descriptor;
        output_stream which;
        std::string half_character;
        bool is_open = true;
    };

    void drain(captured_pipe& from);
    void pass_on(captured_pipe& from, std::string_view text);

    const writer write_;
    mutable std::mutex mutex_;
    std::vector<captured_pipe> pipes_;
    parent_text parent_;
};

}  // namespace kernel
