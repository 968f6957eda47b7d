// What programs inside put in the way of those who come from outside.
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "kernel/launcher/file_descriptor.hpp"
#include "tests/mounts/files_fixture.hpp"

namespace mounts {
namespace {

using testing::HasSubstr;

class local_files_abuse_test : public files_fixture {
  protected:
    local_files_abuse_test() {
        fs::create_directory(outside("secret"));
        std::ofstream(outside("secret/key")) << "secret";
    }
    void link(const std::string& target, const std::string& name) const { fs::create_symlink(target, inside(name)); }
    bool secret_is_untouched() const {
        auto all = fs::directory_iterator(outside("secret"));
        return std::distance(begin(all), end(all)) == 1 && content_of(outside("secret/key")) == "secret";
    }
};

TEST_F(local_files_abuse_test, no_link_is_followed) {
    link(outside("secret/key"), "absolute");
    link("../secret/key", "relative");
    link("relative", "chained");
    link("../secret", "directory");
    link("/proc/self/root", "magic");
    for (const char* each : {"absolute", "relative", "chained", "directory/key", "magic/etc/passwd"}) {
        EXPECT_EQ(code(files_.open(at(each))), file_errc::unusable) << each;
        EXPECT_EQ(code(files_.stat(at(each))), file_errc::unusable) << each;
    }
    EXPECT_EQ(code(put("directory/new", "x")), file_errc::unusable);
    EXPECT_EQ(code(files_.remove(at("directory/key"), {})), file_errc::unusable);
    EXPECT_EQ(files_.list("", "", 100)->items.size(), 0U);
    EXPECT_EQ(files_.list("directory/", "", 100)->items.size(), 0U);
    EXPECT_TRUE(secret_is_untouched());
}

TEST_F(local_files_abuse_test, a_link_itself_is_replaced_and_deleted) {
    link(outside("secret/key"), "a");
    link(outside("secret"), "d");
    ASSERT_TRUE(put("a", "mine"));
    EXPECT_EQ(get("a"), "mine");
    EXPECT_TRUE(files_.remove(at("d"), {}).value());
    EXPECT_FALSE(fs::is_symlink(inside("a")) || fs::is_symlink(inside("d")));
    EXPECT_TRUE(secret_is_untouched());
}

TEST_F(local_files_abuse_test, special_files_hold_nobody_up) {
    ASSERT_EQ(mkfifo(inside("fifo").c_str(), 0666), 0);
    ::kernel::file_descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    inside("socket").copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    std::vector<std::string> names = {"fifo", "socket"};
    if (geteuid() == 0 && mknod(inside("device").c_str(), S_IFCHR | 0666, makedev(1, 5)) == 0)
        names.emplace_back("device");
    for (const auto& each : names) {
        auto opened = files_.open(at(each));
        EXPECT_EQ(code(opened), file_errc::unusable);
        EXPECT_THAT(opened.error().text, HasSubstr("not a file"));
    }
    EXPECT_EQ(files_.list("", "", 10)->items.size(), 0U);
    for (const auto& each : names) EXPECT_TRUE(files_.remove(at(each), {}).value());
}

// A program that takes a lease may hold up whoever opens the file for 45 seconds.
TEST_F(local_files_abuse_test, a_lease_holds_nobody_up) {
    write("a");
    ::kernel::file_descriptor held(::open(inside("a").c_str(), O_RDWR | O_CLOEXEC));
    ::signal(SIGIO, SIG_IGN);
    ASSERT_EQ(fcntl(held.get(), F_SETLEASE, F_WRLCK), 0);
    auto opened = files_.open(at("a"));
    EXPECT_EQ(code(opened), file_errc::unusable);
    EXPECT_THAT(opened.error().text, HasSubstr("try again"));
}

// Swaps two names as fast as it can while `from_outside` runs again and again.
template <class Swap, class FromOutside>
void while_racing(Swap swap, FromOutside from_outside) {
    std::atomic<bool> ended = false;
    std::thread program([&] {
        while (!ended) swap();
    });
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < until && !testing::Test::HasFailure()) from_outside();
    ended = true;
    program.join();
}

TEST_F(local_files_abuse_test, a_link_that_is_swapped_in_leads_nowhere) {
    write("d/key", "mine");
    link("../secret", "other");
    const auto swap = [&] {
        renameat2(AT_FDCWD, inside("d").c_str(), AT_FDCWD, inside("other").c_str(), RENAME_EXCHANGE);
    };
    int seen = 0, refused = 0;
    while_racing(swap, [&] {
        auto opened = files_.open(at("d/key"));
        EXPECT_EQ(opened ? (*opened)->read(0, 99).value() : "mine", "mine");
        opened ? ++seen : ++refused;
        (void)put("d/new", "x");
        (void)files_.remove(at("d/new"), {});
        auto listed = files_.list("", "", 10).value();
        for (const auto& each : listed.items) EXPECT_NE(each.size, 6U) << each.path;
    });
    EXPECT_GT(seen, 0);
    EXPECT_GT(refused, 0) << "there was no race";
    EXPECT_TRUE(secret_is_untouched());
}

TEST_F(local_files_abuse_test, a_link_in_a_files_place_is_not_written_through) {
    write("a", "mine");
    link("../secret/key", "b");
    const auto swap = [&] { renameat2(AT_FDCWD, inside("a").c_str(), AT_FDCWD, inside("b").c_str(), RENAME_EXCHANGE); };
    while_racing(swap, [&] {
        (void)put("a", "mine");
        auto opened = files_.open(at("a"));
        EXPECT_EQ(opened ? (*opened)->read(0, 99).value() : "mine", "mine");
        std::error_code ignored;
        fs::remove(inside("b"), ignored);
        fs::create_symlink("../secret/key", inside("b"), ignored);
    });
    EXPECT_TRUE(secret_is_untouched());
}

// A mount namespace of its own; as an ordinary user by way of a user namespace.
bool leave_mount_namespace() {
    const auto user = geteuid(), group = getegid();
    if (unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) < 0) return false;
    if (user != 0) {
        std::ofstream("/proc/self/setgroups") << "deny";
        std::ofstream("/proc/self/uid_map") << user << " " << user << " 1";
        std::ofstream("/proc/self/gid_map") << group << " " << group << " 1";
    }
    return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

TEST_F(local_files_abuse_test, a_full_disk_is_told_and_nothing_is_left) {
    const pid_t child = fork();
    if (child == 0) {
        if (!leave_mount_namespace()) _exit(2);
        if (mount("tmpfs", directory_.path().c_str(), "tmpfs", 0, "size=1m") < 0) _exit(3);
        if (mkdir(inside().c_str(), 0700) < 0 || mkdir(uploads().c_str(), 0700) < 0) _exit(4);
        auto refused = put("d/a", std::string(2 << 20, 'x'));
        if (refused || refused.error().code != file_errc::full) _exit(5);
        if (refused.error().text.find("No space left") == std::string::npos) _exit(6);
        if (!fs::is_empty(inside()) || !nothing_is_left_of_uploads()) _exit(7);
        _exit(put("d/a", std::string(512 << 10, 'x')) ? 0 : 8);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace mounts
