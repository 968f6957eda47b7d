// Owns one file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace kernel {

class file_descriptor {
  public:
    file_descriptor() = default;
    explicit file_descriptor(int number) : number_(number) {}
    file_descriptor(file_descriptor&& other) noexcept : number_(other.release()) {}
    file_descriptor& operator=(file_descriptor&& other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    ~file_descriptor() { reset(); }

    int get() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }
    int release() { return std::exchange(number_, -1); }
    void reset(int number = -1) {
        if (number_ >= 0) ::close(number_);
        number_ = number;
    }

  private:
    int number_ = -1;
};

}  // namespace kernel
