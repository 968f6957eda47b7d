// Requests answered by the Python side (cellgate_shell.kernel.Kernel). The thread of its shell, with the interpreter's
// lock held. Exceptions become error replies.
#pragma once

#include "kernel/interpreter/answers.hpp"

namespace kernel {

class kernel_process;
struct shell;

class python_answers final : public answers {
  public:
    // Of `which`; null for requests of the control channel.
    python_answers(kernel_process& owner, shell* which) : owner_(owner), shell_(which) {}

    void enter(const messaging::message& request) override;
    void leave() override;
    int next_count() override;
    std::string execute(const cell& what) override;
    std::string complete(const std::string& code, int cursor_position) override;
    std::string inspect(const std::string& code, int cursor_position, int detail_level) override;
    std::string is_complete(const std::string& code) override;
    std::string history(const std::string& content) override;
    std::string info() override;
    std::optional<std::string> handle(const std::string& type, const messaging::message& request) override;

  private:
    kernel_process& owner_;
    shell* shell_;
};

}  // namespace kernel
