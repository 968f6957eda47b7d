// What files a box shows, and which of them it may change.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/kernel/launched.hpp"

namespace kernel {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class a_root : public launched {};
INSTANTIATE_TEST_SUITE_P(by, a_root, testing::ValuesIn(possible_users()), name_of);

TEST_P(a_root, shows_the_sessions_own_directories) {
    write("home/a", "from home\n");
    write("files/b", "from files\n");
    EXPECT_EQ(output_of("cat /home/user/a /mnt/files/b; echo out > /mnt/files/c"), "from home\nfrom files\n");
    EXPECT_EQ(read(path("files/c")), "out\n");
}

TEST_P(a_root, hides_the_rest_of_the_host) {
    write("secret", "x");
    EXPECT_EQ(
        output_of("cat " + path("secret") + " 2>&1 | grep -c 'No such file'; ls /home; ls -A /tmp; ls /root 2>&1"),
        "1\nuser\nls: cannot access '/root': No such file or directory\n");
}

TEST_P(a_root, has_no_way_back_to_the_old_root) {
    EXPECT_EQ(output_of("cut -d' ' -f5 /proc/self/mountinfo | grep -c '^/$'; ls -d /old* /.old* 2>/dev/null"), "1\n");
}

TEST_P(a_root, keeps_the_system_read_only) {
    for (const char* each : {"/", "/usr/", "/etc/", "/dev/", "/mnt/", "/sys/"})
        EXPECT_THAT(output_of(std::string("touch ") + each + "x; true"),
                    testing::AnyOf(HasSubstr("Read-only file system"), HasSubstr("Permission denied")))
            << each;
}

TEST_P(a_root, can_be_written_where_programs_need_it) {
    EXPECT_EQ(
        output_of("for d in /tmp /var/tmp /run /dev/shm /home /home/user /mnt/files; do touch $d/x || echo $d; done"),
        "");
}

TEST_P(a_root, keeps_read_only_mounts_read_only) {
    write("home/a", "x");
    launch_request what = script("cat /data/ro/a; echo y > /data/ro/a; rm -f /data/ro/a; touch /data/ro/b");
    what.mounts.push_back({path("home"), "/data/ro", false});
    EXPECT_THAT(output_of(what), AllOf(testing::StartsWith("x"), HasSubstr("Read-only file system")));
    EXPECT_EQ(read(path("home/a")), "x");
}

TEST_P(a_root, mounts_single_files) {
    write("home/a", "a file\n");
    launch_request what = script("cat /etc/cellgate/a.conf /srv/b");
    what.mounts.push_back({path("home/a"), "/etc/cellgate/a.conf", false});
    what.mounts.push_back({path("home/a"), "/srv/b", false});
    EXPECT_EQ(output_of(what), "a file\na file\n");
}

TEST_P(a_root, mounts_directories_of_the_host_at_their_own_path) {
    std::string venv = make_directory("checkout/venv");
    write("checkout/venv/python", "a program\n");
    launch_request what = script("cat " + venv + "/python; ls " + path(""));
    what.mounts.push_back({venv, venv, false});
    EXPECT_EQ(output_of(what), "a program\ncheckout\n");
}

TEST_P(a_root, shows_what_a_symbolic_link_of_the_host_means_there) {
    std::string real = make_directory("real");
    write("real/a", "real\n");
    std::filesystem::create_directory_symlink(real, path("link"));
    launch_request what = script("cat /data/a");
    what.mounts.push_back({path("link"), "/data", false});
    EXPECT_EQ(output_of(what), "real\n");
}

TEST_P(a_root, mounts_into_a_read_only_directory_of_the_host_and_leaves_it_as_it_is) {
    make_directory("tool/bin");
    make_directory("extra");
    write("tool/a", "kept\n");
    write("extra/b", "new\n");
    std::filesystem::create_symlink("a", path("tool/link"));
    launch_request what =
        script("cat /opt2/tool/a /opt2/tool/link /opt2/tool/x/y/b; ls /opt2/tool; touch /opt2/tool/z");
    what.mounts.push_back({path("tool"), "/opt2/tool", false});
    what.mounts.push_back({path("extra"), "/opt2/tool/x/y", false});
    EXPECT_THAT(output_of(what),
                AllOf(testing::StartsWith("kept\nkept\nnew\na\nbin\nlink\nx\n"), HasSubstr("Read-only")));
    EXPECT_FALSE(std::filesystem::exists(path("tool/x")));
}

TEST_P(a_root, mounts_below_usr_and_opt) {
    write("home/a", "here\n");
    launch_request what = script("cat /opt/cellgate/python/a /usr/share/cellgate/a; ls -d /usr/share/doc");
    what.mounts.push_back({path("home"), "/opt/cellgate/python", false});
    what.mounts.push_back({path("home"), "/usr/share/cellgate", false});
    EXPECT_EQ(output_of(what), "here\nhere\n/usr/share/doc\n");
}

TEST_P(a_root, puts_inner_mounts_over_outer_ones_in_any_order) {
    make_directory("outer/inner");
    make_directory("other");
    write("outer/a", "outer\n");
    write("other/b", "inner\n");
    launch_request what = script("cat /data/a /data/inner/b");
    what.mounts.push_back({path("other"), "/data/inner", false});
    what.mounts.push_back({path("outer"), "/data", true});
    EXPECT_EQ(output_of(what), "outer\ninner\n");
}

void mount_locked(const std::string& target) {
    if (geteuid() != 0) return;
    bool done = unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                mount("tmpfs", target.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755") == 0;
    if (!done) _exit(97);
}

TEST_P(a_root, keeps_the_flags_that_the_host_locked) {
    make_directory("locked");
    prepare_ = [this] { mount_locked(path("locked")); };
    std::string source = geteuid() == 0 ? path("locked") : "/dev/shm";
    launch_request what = script("grep ' /data ' /proc/self/mountinfo | cut -d' ' -f6");
    what.mounts.push_back({source, "/data", false});
    std::string flags = output_of(what);
    EXPECT_THAT(flags, AllOf(testing::StartsWith("ro,"), HasSubstr("nosuid"), HasSubstr("nodev")));
    if (geteuid() == 0) {
        EXPECT_THAT(flags, HasSubstr("noexec"));
    }
}

TEST_P(a_root, goes_on_showing_directories_that_are_renamed) {
    launch_request what = script(
        "echo ready > /mnt/files/event; read x < /home/user/go; cat /home/user/later; echo out > /mnt/files/out");
    ASSERT_EQ(mkfifo(path("home/go").c_str(), 0666), 0);
    chmod(path("home/go").c_str(), 0666);
    EXPECT_EQ(launch(what).error, "");
    wait_for_event();
    std::filesystem::rename(path("home"), path("home2"));
    std::filesystem::rename(path("files"), path("files2"));
    write("home2/later", "written after\n");
    write("home2/go", "go\n");
    wait_for_exit(what.id);
    EXPECT_EQ(read(what.output_file), "written after\n");
    EXPECT_EQ(read(path("files2/out")), "out\n");
}

TEST_P(a_root, lets_session_directories_be_removed_while_they_are_shown) {
    launch_request what = script("echo ready > /mnt/files/event; exec sleep 1000");
    EXPECT_EQ(launch(what).error, "");
    wait_for_event();
    std::error_code ec;
    std::filesystem::remove_all(path("home"), ec);
    EXPECT_FALSE(ec);
    send(kill_command{what.id});
    wait_for_exit(what.id);
}

TEST_P(a_root, shows_nothing_of_the_launchers_processes) {
    EXPECT_EQ(output_of("ls /proc | grep -E '^[0-9]+$' | sort -n | head -2 | tr '\\n' ' '; ls -d /proc/" +
                        std::to_string(getpid()) + " 2>/dev/null"),
              "1 2 ");
}

TEST_P(a_root, lets_the_host_names_server_be_found) {
    EXPECT_EQ(output_of("cat /etc/resolv.conf"), read("/etc/resolv.conf"));
}

TEST_P(a_root, runs_the_systems_python) {
    launch_request what = script(
        "exec /usr/bin/python3 -c 'import ctypes, ssl, sqlite3, multiprocessing.shared_memory as s; "
        "m = s.SharedMemory(create=True, size=10); m.unlink(); print(6 * 7)'");
    EXPECT_EQ(output_of(what), "42\n");
}

}  // namespace
}  // namespace kernel
