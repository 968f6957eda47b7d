// For threads beside the interpreter's main one: signals are the main thread's alone.
#pragma once

#include <pthread.h>

#include <csignal>

namespace kernel {

// While it lives, threads that are made take no signal.
class blocked_signals {
  public:
    blocked_signals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    blocked_signals(const blocked_signals&) = delete;
    blocked_signals& operator=(const blocked_signals&) = delete;

  private:
    sigset_t before_;
};

}  // namespace kernel
