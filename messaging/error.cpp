#include "messaging/error.hpp"

#include <string>

namespace messaging {
namespace {

const char* describe(errc code) {
    switch (code) {
        case errc::ok:
            return "no error";
        case errc::too_few_frames:
            return "too few frames: a signature and four JSON parts must follow <IDS|MSG>";
        case errc::no_delimiter:
            return "no <IDS|MSG> frame: the peer does not speak the Jupyter wire protocol";
        case errc::bad_signature:
            return "the signature does not fit: check that both sides use the same key and scheme";
        case errc::duplicate_signature:
            return "this signature was seen before: sign every message anew";
        case errc::too_large:
            return "too many parts, a message over 512 MiB, or a header over 64 KiB";
        case errc::bad_json:
            return "not the JSON object that a Jupyter message needs";
        case errc::bad_offsets:
            return "the offset table does not fit the frame";
        case errc::bad_channel:
            return "unknown channel: use shell, control, stdin or iopub";
        case errc::bad_connection_file:
            return "not a usable connection file: check transport, ip, ports, key and scheme";
        case errc::socket_failed:
            return "the kernel's socket cannot be used: check its address and the process limits";
        case errc::not_zmtp:
            return "the peer does not speak ZMTP 3: the kernel needs libzmq 4 or newer";
        case errc::wrong_mechanism:
            return "the peer wants another ZMTP mechanism: bind the kernel's sockets without CURVE, PLAIN or GSSAPI";
        case errc::wrong_peer:
            return "the peer's kind of socket does not fit the channel: bind ROUTER for shell, control and stdin, PUB "
                   "or "
                   "XPUB for iopub, REP or ROUTER for the heartbeat";
        case errc::bad_frame:
            return "malformed ZMTP: the connection is made again";
        case errc::refused_by_peer:
            return "the peer refused the connection by an ERROR command";
        case errc::unsafe_socket:
            return "what lies at the kernel's address is not a socket: bind there, links are not followed";
        case errc::cancelled:
            return "cancelled";
    }
    return "unknown messaging error";
}

class messaging_category final : public boost::system::error_category {
  public:
    const char* name() const noexcept override { return "messaging"; }
    std::string message(int code) const override { return describe(static_cast<errc>(code)); }
};

}  // namespace

const boost::system::error_category& category() {
    static const messaging_category instance;
    return instance;
}

boost::system::error_code make_error_code(errc code) { return {static_cast<int>(code), category()}; }

}  // namespace messaging
