// A kernel's five ZeroMQ sockets and the one thread that owns them: the io thread, which runs no Python and never waits
// for the interpreter, so that the heartbeat, the control channel and output go on whatever a cell does.
// Owned by the kernel's main function; made after the fork. Jupyter messaging specification 5.5.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "messaging/connection_file.hpp"
#include "messaging/message.hpp"

namespace kernel {

// In the headers of what a kernel sends.
inline constexpr std::string_view protocol_version = "5.5";

enum class output_stream : std::uint8_t { out, err };

// The header of the request that caused an output, as JSON text; shared by all that it caused.
using parent_text = std::shared_ptr<const std::string>;

// Who gets what clients send. Called on the io thread: must not wait, and must not take the interpreter's lock.
class request_sink {
  public:
    // A valid request on shell or control (`what.where`); `what.identities` are the routing ids for its reply.
    virtual void on_request(messaging::message what) = 0;
    // On the stdin channel.
    virtual void on_input_reply(messaging::message what) = 0;

  protected:
    ~request_sink() = default;
};

struct server_settings {
    std::string session = {};                  // in the headers that the server makes; random when empty
    int log = -1;                              // gets a line for each message that is refused; -1: what is descriptor 2
                                               // at bind(), whatever it becomes afterwards
    std::chrono::milliseconds coalescing{50};  // how long stream text may wait for more
    std::size_t coalesced_bytes = 64 << 10;    // at which it is sent at once
    std::size_t unsent_limit = 256 << 20;      // at which writers are to wait
    std::size_t kept_bytes = 64 << 20;         // of iopub messages, for resend()
    std::chrono::milliseconds linger{500};     // for what is unsent when the kernel ends
};

// Loads what libzmq would load with its first context (the name services), so that forked children need not. Starts no
// thread. Throws std::system_error.
void warm_up_sockets();

class kernel_server {
  public:
    // Binds; a tcp port of 0 becomes a free one (where() has it). Starts no thread: clients that connect wait for
    // start(). Fails when an endpoint cannot be bound (error.hpp), or the key's scheme is unknown. The socket file of a
    // kernel that is gone is replaced.
    static messaging::result<std::unique_ptr<kernel_server>> bind(messaging::connection_info where,
                                                                  server_settings settings = {});
    ~kernel_server();  // stop()
    kernel_server(const kernel_server&) = delete;
    kernel_server& operator=(const kernel_server&) = delete;

    // Starts the io thread, and libzmq's, with every signal blocked. `sink` outlives this. Once. Throws
    // std::system_error when the process has no descriptors left for it.
    void start(request_sink& sink);
    // In a process that was forked off: gives up its copies of the listening sockets, or the addresses would stay taken
    // for as long as it lives. Without effect elsewhere.
    void leave_to_parent();
    // Sends what is left within the linger time, joins the io thread and closes the sockets.
    void stop();

    const messaging::connection_info& where() const;
    const std::string& session() const;

    // All of the following: any thread, at any time, never waiting. In a process that was forked off a running kernel
    // they do nothing: its output belongs on descriptors 1 and 2.

    // A reply, to what.identities.
    void send(messaging::message what);
    // A request on stdin, to what.identities: as soon as that client's stdin is connected, until it is withdrawn.
    void ask(messaging::message what);
    void withdraw(std::string_view msg_id);
    // On iopub, in the order of the calls, also with respect to write(). identities.front() is the topic. Its metadata,
    // a JSON object, gains "cellgate_seq": 1, 2, 3, … in the order of publication.
    void publish(messaging::message what);
    // Text for a stream message, merged with the text before it when that was for the same stream and parent.
    void write(output_stream which, std::string_view text, const parent_text& parent);
    // Stream text that waits for more is sent now.
    void flush();

    // Bytes published and written that no socket has taken yet, with what it costs to hold them; also those that a
    // subscriber does not read, as far as they are still in this process.
    std::size_t unsent() const;
    // Waits, at most `limit`, until less than the limit is unsent; false when it is not by then. Without the
    // interpreter's lock, please.
    bool wait_for_room(std::chrono::milliseconds limit);

    struct resent {
        std::uint64_t first = 0;  // the oldest that is still kept; 0: nothing is
        std::uint64_t last = 0;   // the newest that was published
    };
    // Sends the kept messages with a number greater than `after` to whoever asked for them, and to nobody else: on
    // control, to the routing ids `to`. Their metadata gains "cellgate_resent": 1, 2, 3, …, by which each has a
    // signature that no client has seen; all else is as it was. What `first` sends is sent before them.
    resent resend(std::uint64_t after, std::vector<std::string> to,
                  const std::function<void(const resent&)>& first = nullptr);

    // Reads `pipe` (which becomes non-blocking and stays the caller's) into write(which, …), under the parent that
    // set_captured_parent() gave last.
    void capture(int pipe, output_stream which);
    void set_captured_parent(parent_text parent);
    // What is in the captured pipes now has been passed to write() when this returns.
    void drain_captured();

  private:
    struct implementation;
    explicit kernel_server(std::unique_ptr<implementation> made);
    std::unique_ptr<implementation> implementation_;
};

}  // namespace kernel
