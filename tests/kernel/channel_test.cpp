#include "kernel/launcher/channel.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <filesystem>
#include <thread>

namespace kernel {
namespace {

class a_channel : public testing::Test {
  protected:
    a_channel() {
        int both[2];
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) != 0) throw std::runtime_error("no socket");
        here.reset(both[0]);
        there.reset(both[1]);
    }
    static std::size_t open_files() {
        std::filesystem::directory_iterator all("/proc/self/fd"), end;
        return std::distance(all, end);
    }
    file_descriptor here, there;
};

TEST_F(a_channel, carries_texts_of_every_size) {
    std::size_t files = open_files();
    for (std::size_t size : {1, 65'535, 65'536, 65'537, 1'000'000}) {
        std::string text(size, 'x');
        ASSERT_EQ(send_text(here.get(), text, true), channel_state::ok);
        received_text in = receive_text(there.get(), true);
        EXPECT_EQ(in.state, channel_state::ok);
        EXPECT_EQ(in.text, text) << size;
    }
    EXPECT_EQ(open_files(), files);
}

TEST_F(a_channel, carries_descriptors_with_texts_of_every_size) {
    std::size_t files = open_files();
    for (std::size_t size : {1, 65'537}) {
        int sent[] = {STDIN_FILENO, there.get(), here.get()};
        ASSERT_EQ(send_text(here.get(), std::string(size, 'x'), true, sent), channel_state::ok);
        received_text in = receive_text(there.get(), true);
        EXPECT_EQ(in.text.size(), size);
        ASSERT_EQ(in.files.size(), 3U);
        // The second is the very socket that is read here: what goes in at the third comes out of it.
        ASSERT_EQ(send_text(in.files[2].get(), "through the copy", true), channel_state::ok);
        EXPECT_EQ(receive_text(in.files[1].get(), true).text, "through the copy");
    }
    EXPECT_EQ(open_files(), files);
}

TEST_F(a_channel, refuses_more_descriptors_than_it_carries) {
    const std::vector<int> sent(channel_file_limit + 1, here.get());
    EXPECT_EQ(send_text(here.get(), "x", true, sent), channel_state::too_large);
    EXPECT_EQ(receive_text(there.get(), false).state, channel_state::would_block);
}

TEST_F(a_channel, refuses_a_text_past_its_limit) {
    EXPECT_EQ(send_text(here.get(), std::string(channel_text_limit + 1, 'x'), true), channel_state::too_large);
}

TEST_F(a_channel, does_not_wait_unless_asked) {
    EXPECT_EQ(receive_text(there.get(), false).state, channel_state::would_block);
    std::string text(60'000, 'x');
    channel_state last = channel_state::ok;
    while (last == channel_state::ok) last = send_text(here.get(), text, false);
    EXPECT_EQ(last, channel_state::would_block);
}

TEST_F(a_channel, tells_that_the_peer_has_gone) {
    there.reset();
    EXPECT_EQ(receive_text(here.get(), true).state, channel_state::closed);
    EXPECT_EQ(send_text(here.get(), "x", true), channel_state::closed);
}

}  // namespace
}  // namespace kernel
