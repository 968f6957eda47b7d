#include "mounts/disk_image.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <thread>

#include "mounts/session_directories.hpp"
#include "tests/support/temporary_directory.hpp"

namespace mounts {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::uint64_t mib = 1 << 20;

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// The error that ended it; 0 when all could be written.
int write_file(const std::string& path, std::uint64_t bytes) {
    ::kernel::file_descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!file) return errno;
    const std::string block(std::min(bytes, mib), 'x');
    for (std::uint64_t done = 0; done < bytes;) {
        const auto wrote = ::write(file.get(), block.data(), block.size());
        if (wrote < 0) return errno;
        done += static_cast<std::uint64_t>(wrote);
    }
    return 0;
}

bool soon(const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

// On a machine that cannot have one, each case is that it is refused with a reason.
class a_disk_image : public testing::Test {
  protected:
    ~a_disk_image() override {
        directories_.reset();
        image_.reset();
        EXPECT_THAT(text_of("/proc/self/mountinfo"), testing::Not(HasSubstr(directory_.path())));
        EXPECT_TRUE(soon([this] { return devices() == 0; })) << "a loop device is left";
    }
    bool open(std::uint64_t bytes = 512 * mib) {
        auto opened = disk_image::open(directory_.path(), bytes);
        if (auto possible = disk_image::try_out(directory_.path()); !possible) {
            EXPECT_FALSE(opened);
            EXPECT_FALSE(possible.error().text.empty());
            return false;
        }
        image_.emplace(std::move(opened.value()));
        return true;
    }
    bool open_directories() {
        if (!open()) return false;
        reopen_directories(image_->sessions());
        return true;
    }
    void reopen_directories(const std::string& limited) {
        directories_.reset();
        directories_.emplace(session_directories::open(directory_.path(), limited).value());
    }
    int devices() const {
        int count = 0;
        for (const auto& each : fs::directory_iterator("/sys/block"))
            if (text_of(each.path() / "loop/backing_file").starts_with(directory_.path())) ++count;
        return count;
    }
    test_support::temporary_directory directory_;
    std::optional<disk_image> image_;
    std::optional<session_directories> directories_;
};

TEST_F(a_disk_image, stops_what_a_session_writes_in_each_place_at_its_limit) {
    if (!open_directories()) return;
    const auto made = directories_->create("a").value();
    const auto other = directories_->create("b").value();
    ASSERT_TRUE(directories_->limit("a", 4 * mib, 8 * mib));
    EXPECT_EQ(write_file(made.home + "/x", 5 * mib), EDQUOT);
    EXPECT_EQ(write_file(made.files + "/x", 7 * mib), 0) << "the limit of /mnt/files is another";
    EXPECT_EQ(write_file(made.uploads + "/y", 2 * mib), EDQUOT) << "what is uploaded counts as what is there";
    EXPECT_EQ(write_file(other.home + "/x", 20 * mib), 0);
    EXPECT_EQ(write_file(made.log + "/x", 20 * mib), 0) << "the log is the gateway's";
    fs::remove(made.home + "/x");
    EXPECT_EQ(write_file(made.home + "/x", 3 * mib), 0);
    ASSERT_TRUE(directories_->limit("a", 0, 0));
    EXPECT_EQ(write_file(made.home + "/y", 20 * mib), 0);
}

TEST_F(a_disk_image, counts_what_files_take_besides_their_contents) {
    if (!open_directories()) return;
    const auto made = directories_->create("a").value();
    ASSERT_TRUE(directories_->limit("a", 0, mib));
    int count = 0, error = 0;
    while (error == 0 && count < 100'000) error = write_file(made.files + "/" + std::to_string(count++), 0);
    EXPECT_EQ(error, EDQUOT);
    EXPECT_GT(count, 1'000);
    for (int i = 0; i < count; ++i) fs::remove(made.files + "/" + std::to_string(i));
    EXPECT_EQ(write_file(made.files + "/x", mib / 2), 0);
}

TEST_F(a_disk_image, keeps_what_is_in_it_and_gives_back_what_goes) {
    if (!open_directories()) return;
    const auto made = directories_->create("a").value();
    ASSERT_EQ(write_file(made.files + "/kept", mib), 0);
    ASSERT_EQ(write_file(made.uploads + "/begun", mib), 0);
    ASSERT_TRUE(directories_->create("gone"));
    directories_.reset();
    image_.reset();
    ASSERT_TRUE(open_directories());
    EXPECT_TRUE(directories_->remove_leftovers({"a"}));
    EXPECT_EQ(directories_->reopen("a").value(), made);
    EXPECT_TRUE(fs::exists(made.files + "/kept"));
    EXPECT_TRUE(fs::is_empty(made.uploads));
    EXPECT_FALSE(fs::exists(image_->sessions() + "/gone"));
    EXPECT_TRUE(directories_->remove("a"));
    EXPECT_TRUE(fs::is_empty(image_->sessions()));
}

TEST_F(a_disk_image, that_a_killed_process_left_is_taken_over) {
    if (!open_directories()) return;
    directories_.reset();
    image_.reset();
    const pid_t killed = fork();
    if (killed == 0) {
        auto left = disk_image::open(directory_.path(), 0);
        if (left) write_file(left->sessions() + "/x", mib);
        ::_exit(left ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(killed, &status, 0), killed);
    ASSERT_EQ(status, 0);
    EXPECT_THAT(text_of("/proc/self/mountinfo"), HasSubstr(directory_.path()));
    const ::kernel::file_descriptor held(
        ::open((directory_.path() + "/disk/sessions/x").c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(open());
    EXPECT_EQ(devices(), 1) << "what still has it open shares it";
    EXPECT_TRUE(fs::exists(image_->sessions() + "/x"));
}

TEST_F(a_disk_image, grows) {
    if (!open(256 * mib)) return;
    EXPECT_LE(fs::space(image_->sessions()).capacity, 256 * mib);
    image_.reset();
    ASSERT_TRUE(open(640 * mib));
    EXPECT_EQ(fs::space(image_->sessions()).capacity, 640 * mib);
    image_.reset();
    ASSERT_TRUE(open(256 * mib));
    EXPECT_EQ(fs::space(image_->sessions()).capacity, 640 * mib);
}

// Files as small as these lie in the metadata, which the rest of the image would be taken for.
int fill_metadata(const std::string& directory) {
    const std::string text(2'000, 'x');
    for (int i = 0; i < 200'000; ++i) {
        ::kernel::file_descriptor file(
            ::open((directory + "/" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        if (!file || ::write(file.get(), text.data(), text.size()) < 0) return errno;
    }
    return 0;
}

TEST_F(a_disk_image, that_is_full_says_so_to_the_next_session_and_is_of_use_again) {
    if (!open(256 * mib)) return;
    reopen_directories(image_->sessions());
    const auto made = directories_->create("a").value();
    EXPECT_EQ(write_file(made.files + "/x", 512 * mib), ENOSPC);
    EXPECT_EQ(fill_metadata(made.home), ENOSPC);
    EXPECT_EQ(write_file(directory_.path() + "/database", mib), 0) << "beside it there is room";
    EXPECT_THAT(directories_->create("next").error().text, HasSubstr("storage.disk_image_bytes"));
    EXPECT_FALSE(fs::exists(directory_.path() + "/sessions/next"));
    EXPECT_TRUE(directories_->remove("a"));
    std::string why;
    auto create = [&] {
        auto again = directories_->create("again");
        why = again ? "" : again.error().text;
        return again.has_value();
    };
    EXPECT_TRUE(soon(create)) << why;
    EXPECT_TRUE(soon([&] { return write_file(directories_->paths("again").files + "/x", 100 * mib) == 0; }));
}

TEST_F(a_disk_image, does_not_hold_sessions_that_were_made_without_it) {
    reopen_directories({});
    const auto before = directories_->create("a").value();
    std::ofstream(before.files + "/kept") << "x";
    if (!open()) return;
    reopen_directories(image_->sessions());
    EXPECT_EQ(directories_->reopen("a").value(), before);
    EXPECT_FALSE(directories_->is_limited("a"));
    EXPECT_TRUE(directories_->limit("a", 1, 1));
    EXPECT_EQ(write_file(before.files + "/x", 2 * mib), 0);
    ASSERT_TRUE(directories_->create("b"));
    EXPECT_TRUE(directories_->is_limited("b"));
}

TEST_F(a_disk_image, that_is_not_there_keeps_its_sessions_from_going_on_without_their_files) {
    if (!open_directories()) return;
    ASSERT_TRUE(directories_->create("a"));
    ASSERT_TRUE(directories_->create("ended"));
    reopen_directories({});
    EXPECT_THAT(directories_->reopen("a").error().text, HasSubstr("storage.disk"));
    EXPECT_TRUE(directories_->remove("ended"));
    reopen_directories(image_->sessions());
    EXPECT_TRUE(directories_->reopen("a"));
    EXPECT_TRUE(directories_->remove_leftovers({"a"}));
    EXPECT_FALSE(fs::exists(image_->sessions() + "/ended"));
}

TEST_F(a_disk_image, is_tried_out_without_a_trace) {
    (void)disk_image::try_out(directory_.path());
    EXPECT_TRUE(fs::is_empty(directory_.path()));
    EXPECT_FALSE(disk_image::try_out(directory_.path() + "/missing"));
}

}  // namespace
}  // namespace mounts
