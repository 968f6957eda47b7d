#include "kernel/server/error.hpp"

#include <string>

namespace kernel {
namespace {

const char* describe(bind_errc code) {
    switch (code) {
        case bind_errc::ok:
            return "no error";
        case bind_errc::path_too_long:
            return "the path of an ipc socket is longer than 107 bytes: put the connection's ip below a shorter "
                   "directory";
        case bind_errc::not_a_socket:
            return "a file that is no socket lies where an ipc socket is to be bound: remove it or use another path";
        case bind_errc::in_use:
            return "another process listens at this address: use another port or path";
        case bind_errc::bad_address:
            return "the connection's ip is no address of this machine: use a numeric one, such as 127.0.0.1";
    }
    return "unknown error of bind";
}

class category_of_bind final : public boost::system::error_category {
  public:
    const char* name() const noexcept override { return "kernel bind"; }
    std::string message(int code) const override { return describe(static_cast<bind_errc>(code)); }
};

}  // namespace

const boost::system::error_category& bind_category() {
    static const category_of_bind instance;
    return instance;
}

boost::system::error_code make_error_code(bind_errc code) { return {static_cast<int>(code), bind_category()}; }

}  // namespace kernel
