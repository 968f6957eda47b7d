#include "gateway/egress/client_hello.hpp"

#include <algorithm>

namespace gateway::egress {
namespace {

constexpr unsigned char handshake_record = 22;
constexpr unsigned char major_version = 3;
constexpr std::size_t record_header_bytes = 5;
constexpr std::size_t most_record_bytes = 1u << 14;  // RFC 8446, section 5.1
constexpr unsigned char client_hello_type = 1;
constexpr std::size_t message_header_bytes = 4;
constexpr std::size_t version_and_random_bytes = 34;
constexpr unsigned server_name_extension = 0;
constexpr unsigned encrypted_client_hello_extension = 0xfe0d;  // draft-ietf-tls-esni, from -13 on
constexpr unsigned encrypted_server_name_extension = 0xffce;   // its early drafts
constexpr unsigned host_name_type = 0;

// Takes from the front of its bytes; what is not there makes it bad, and gives nothing.
class cursor {
  public:
    explicit cursor(std::string_view bytes) : bytes_(bytes) {}

    bool is_bad() const { return bad_; }
    bool is_empty() const { return bytes_.empty(); }
    unsigned number(std::size_t size) {
        unsigned made = 0;
        for (char each : take(size)) made = made << 8 | static_cast<unsigned char>(each);
        return made;
    }
    std::string_view take(std::size_t size) {
        bad_ = bad_ || size > bytes_.size();
        if (bad_) return {};
        auto taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }
    // One with its length before it.
    std::string_view vector(std::size_t length_size) { return take(number(length_size)); }

  private:
    std::string_view bytes_;
    bool bad_ = false;
};

// RFC 6066, section 3: a list of one, since there is one kind of name.
bool read_server_name(std::string_view extension, client_hello& into) {
    if (into.server_name) return false;  // a second one
    cursor outer(extension);
    cursor list(outer.vector(2));
    auto type = list.number(1);
    auto name = list.vector(2);
    if (outer.is_bad() || list.is_bad() || !outer.is_empty() || !list.is_empty()) return false;
    if (type != host_name_type || name.empty()) return false;
    into.server_name = std::string(name);
    return true;
}

bool read_extensions(std::string_view bytes, client_hello& into) {
    cursor rest(bytes);
    while (!rest.is_empty()) {
        auto type = rest.number(2);
        auto body = rest.vector(2);
        if (rest.is_bad()) return false;
        if (type == server_name_extension && !read_server_name(body, into)) return false;
        if (type == encrypted_client_hello_extension || type == encrypted_server_name_extension) into.encrypted = true;
    }
    return true;
}

bool read_hello(std::string_view message, client_hello& into) {
    cursor rest(message.substr(message_header_bytes));
    rest.take(version_and_random_bytes);
    rest.vector(1);                       // session id
    auto cipher_suites = rest.vector(2);  // of two bytes each
    auto compressions = rest.vector(1);
    if (rest.is_bad() || cipher_suites.empty() || cipher_suites.size() % 2 != 0 || compressions.empty()) return false;
    if (rest.is_empty()) return true;  // TLS 1.2 may have no extensions
    auto extensions = rest.vector(2);
    return !rest.is_bad() && rest.is_empty() && read_extensions(extensions, into);
}

std::size_t message_size(std::string_view message) {
    cursor rest(message);
    rest.take(1);
    return message_header_bytes + rest.number(3);
}

}  // namespace

hello_reader::state hello_reader::take_record_header() {
    auto byte = [this](std::size_t at) { return static_cast<unsigned char>(record_header_[at]); };
    bool is_other = byte(0) != handshake_record || (record_header_.size() > 1 && byte(1) != major_version);
    if (is_other) return message_.empty() ? state::not_tls : state::malformed;
    if (record_header_.size() < record_header_bytes) return state::more;
    record_left_ = static_cast<std::size_t>(byte(3)) << 8 | byte(4);
    record_header_.clear();
    return record_left_ == 0 || record_left_ > most_record_bytes ? state::malformed : state::more;
}

bool hello_reader::is_complete() const {
    return message_.size() >= message_header_bytes && message_.size() >= message_size(message_);
}

hello_reader::state hello_reader::take_payload(std::string_view& bytes) {
    auto count = std::min(record_left_, bytes.size());
    message_.append(bytes.substr(0, count));
    bytes.remove_prefix(count);
    record_left_ -= count;
    if (message_.front() != client_hello_type) return state::malformed;
    if (message_.size() >= message_header_bytes && message_size(message_) > max_bytes_) return state::malformed;
    if (!is_complete()) return state::more;
    // Nothing may follow it in its record: it ends with the message.
    if (message_.size() > message_size(message_) || record_left_ > 0) return state::malformed;
    return read_hello(message_, hello_) ? state::done : state::malformed;
}

hello_reader::state hello_reader::feed(std::string_view bytes) {
    while (state_ == state::more && !bytes.empty()) {
        auto before = bytes.size();
        if (record_left_ > 0) {
            state_ = take_payload(bytes);
        } else {
            record_header_ += bytes.front();
            bytes.remove_prefix(1);
            state_ = take_record_header();
        }
        seen_ += before - bytes.size();
        if (seen_ > max_bytes_) state_ = state::malformed;
    }
    return state_;
}

std::optional<denial> judge(const client_hello& hello, const destination& to, network_mode mode) {
    if (hello.encrypted)
        return mode == network_mode::all ? std::nullopt : std::optional(denial::encrypted_client_hello);
    if (to.address) return hello.server_name ? std::optional(denial::server_name_mismatch) : std::nullopt;
    if (!hello.server_name) return denial::server_name_missing;
    auto same = [](char sent, char ours) {
        return ('A' <= sent && sent <= 'Z' ? static_cast<char>(sent + 32) : sent) == ours;
    };
    const auto& name = *hello.server_name;
    bool equal = std::equal(name.begin(), name.end(), to.host.begin(), to.host.end(), same);
    return equal ? std::nullopt : std::optional(denial::server_name_mismatch);
}

}  // namespace gateway::egress
