// Programs beside a kernel: what they are given, what they write, how they end.
#pragma once

#include <string>

#include "tests/kernel/with_zygote.hpp"

namespace kernel {

class with_guest : public with_zygote {
  protected:
    // A box whose kernel, executed or forked, only sleeps. Returns its id.
    std::string start_host() { return start(script("exec sleep 1000")); }
    std::string start_forked_host() { return start(forked_script("exec sleep 1000")); }
    void end_host(const std::string& box);

    // A shell script in the box.
    run_request guest(const std::string& box, const std::string& text);
    // Sends it with three fresh pipes; what the launcher answers.
    run_answer run(const run_request& what);
    // What it wrote until its pipe's end; those who hold it must have gone.
    std::string stdout_text() { return read_all(out_); }
    std::string stderr_text() { return read_all(err_); }
    void write_stdin(const std::string& text);  // and closes it
    // Runs it, with an empty stdin, and expects that it succeeds: its stdout.
    std::string output_of_guest(const run_request& what);
    std::string output_of_guest(const std::string& box, const std::string& text) {
        return output_of_guest(guest(box, text));
    }

  private:
    std::string start(const launch_request& what);
    static std::string read_all(file_descriptor& from);

    file_descriptor in_;
    file_descriptor out_;
    file_descriptor err_;
    int guests_ = 0;
};

}  // namespace kernel
