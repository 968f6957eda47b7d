// Answers on the control channel that need no Python. The control thread.
#pragma once

#include "kernel/interpreter/answers.hpp"

namespace kernel {

class kernel_process;

class control_answers final : public answers {
  public:
    explicit control_answers(kernel_process& owner) : owner_(owner) {}

    // Whether this answers requests of the type; what it does not answer needs Python.
    static bool knows(const std::string& type);

    void enter(const messaging::message&) override {}
    void leave() override {}
    int next_count() override { return 0; }
    std::string execute(const cell&) override;
    std::string complete(const std::string&, int) override;
    std::string inspect(const std::string&, int, int) override;
    std::string is_complete(const std::string&) override;
    std::string history(const std::string&) override;
    std::string info() override;
    std::optional<std::string> handle(const std::string& type, const messaging::message& request) override;

  private:
    kernel_process& owner_;
};

}  // namespace kernel
