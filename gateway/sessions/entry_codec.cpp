#include "gateway/sessions/entry_codec.hpp"

#include <array>
#include <chrono>

namespace gateway::sessions {
namespace {

using nanoseconds = std::chrono::nanoseconds;

void put_number(record_bytes& to, std::uint64_t value) {
    while (value >= 0x80) {
        to.put(static_cast<char>((value & 0x7f) | 0x80));
        value >>= 7;
    }
    to.put(static_cast<char>(value));
}

void put_text(record_bytes& to, std::string_view text) {
    put_number(to, text.size());
    to.put(text);
}

void put_texts(record_bytes& to, const std::vector<std::string>& texts) {
    put_number(to, texts.size());
    for (const auto& each : texts) put_text(to, each);
}

void put_message(record_bytes& to, const messaging::message& from) {
    put_number(to, static_cast<std::uint64_t>(from.where));
    put_texts(to, from.identities);
    for (auto part : from.json_parts()) put_text(to, part);
    put_texts(to, from.buffers);
}

// Takes values off the front; the first wrong one makes it bad, and what follows reads as zero and empty.
class payload_reader {
  public:
    explicit payload_reader(std::string_view bytes) : rest_(bytes) {}

    bool complete() const { return good_ && rest_.empty(); }

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) break;
            auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
        return fail();
    }

    std::uint64_t number_up_to(std::uint64_t most) {
        auto value = number();
        return value <= most ? value : fail();
    }

    std::string text() {
        auto size = number_up_to(rest_.size());
        if (size > rest_.size()) fail();
        if (!good_) return {};
        std::string bytes(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return bytes;
    }

    std::vector<std::string> texts() {
        // Every text takes a byte at least, so the count is checked before anything is made.
        auto count = number_up_to(rest_.size());
        std::vector<std::string> all;
        for (std::uint64_t at = 0; at < count && good_; ++at) all.push_back(text());
        return all;
    }

  private:
    std::uint64_t fail() {
        good_ = false;
        rest_ = {};
        return 0;
    }

    std::string_view rest_;
    bool good_ = true;
};

messaging::shared_message take_message(payload_reader& from) {
    auto made = std::make_shared<messaging::message>();
    made->where = static_cast<messaging::channel>(from.number_up_to(static_cast<unsigned>(messaging::channel::iopub)));
    made->identities = from.texts();
    for (auto* part : {&made->header, &made->parent_header, &made->metadata, &made->content}) *part = from.text();
    made->buffers = from.texts();
    return made;
}

}  // namespace

void encode_record(const entry& from, record_bytes& to) {
    auto length = to.leave(record_header_bytes);
    auto start = to.size();
    put_number(to, from.seq);
    put_number(to, static_cast<std::uint64_t>(from.kind));
    put_number(to, static_cast<std::uint64_t>(nanoseconds(from.time.time_since_epoch()).count()));
    for (const auto* text : {&from.client, &from.cell_id, &from.type, &from.parent, &from.body}) put_text(to, *text);
    put_number(to, from.message ? 1 : 0);
    if (from.message) put_message(to, *from.message);
    std::uint64_t bytes = to.size() - start;
    std::array<char, record_header_bytes> header;
    for (std::size_t byte = 0; byte < record_header_bytes; ++byte)
        header[byte] = static_cast<char>(bytes >> (8 * byte) & 0xff);
    to.fill(length, {header.data(), header.size()});
}

std::uint64_t decode_record_length(std::string_view header) {
    std::uint64_t length = 0;
    for (std::size_t byte = 0; byte < record_header_bytes; ++byte)
        length |= static_cast<std::uint64_t>(static_cast<unsigned char>(header[byte])) << (8 * byte);
    return length;
}

result<entry> decode_payload(std::string_view payload) {
    payload_reader from(payload);
    entry made;
    made.seq = made.first_seq = from.number();
    made.kind = static_cast<entry_kind>(from.number_up_to(static_cast<unsigned>(entry_kind::event)));
    made.time = wall_clock::time_point(nanoseconds(static_cast<std::int64_t>(from.number())));
    for (auto* text : {&made.client, &made.cell_id, &made.type, &made.parent, &made.body}) *text = from.text();
    if (from.number_up_to(1) == 1) made.message = take_message(from);
    if (!from.complete()) return failure{errc::io_error, "a record of an output log's segment file is damaged"};
    return made;
}

}  // namespace gateway::sessions
