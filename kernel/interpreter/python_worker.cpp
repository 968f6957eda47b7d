#include "kernel/interpreter/python_worker.hpp"

#include <pybind11/pybind11.h>

#include <utility>

#include "kernel/server/blocked_signals.hpp"

namespace kernel {

python_worker::~python_worker() { stop(); }

void python_worker::post(std::function<void()> job) {
    std::lock_guard lock(mutex_);
    if (stopped_) return;
    jobs_.push_back(std::move(job));
    changed_.notify_all();
    if (thread_.joinable()) return;
    blocked_signals during;
    thread_ = std::thread([this] { run(); });
}

void python_worker::stop() {
    {
        std::lock_guard lock(mutex_);
        stopped_ = true;
        jobs_.clear();
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

void python_worker::run() {
    // One thread state for the thread's whole life: Python's thread-local values stay.
    pybind11::gil_scoped_acquire thread_state;
    pybind11::gil_scoped_release between_jobs;
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stopped_ || !jobs_.empty(); });
        if (stopped_) return;
        auto job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        {
            pybind11::gil_scoped_acquire locked;
            job();
        }
        lock.lock();
    }
}

}  // namespace kernel
