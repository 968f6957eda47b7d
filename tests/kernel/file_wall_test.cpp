// The second wall by itself: no read-only mount, no filter of system calls, and root's rights where the test has them.
#include "kernel/sandbox/file_wall.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>

#include "tests/support/temporary_directory.hpp"

namespace kernel {
namespace {

// errno by its name, or "done".
std::string named(long answer) { return answer >= 0 ? "done" : strerrorname_np(errno); }

std::string opened(const std::string& path, int flags) {
    const file_descriptor file(open(path.c_str(), flags | O_CLOEXEC, 0644));
    return named(file.get());
}

std::string connected(const std::string& name) {
    sockaddr_un address{AF_UNIX, {}};
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const file_descriptor own(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return named(connect(own.get(), reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t) + 1 + name.size()));
}

// In this order, which the operands of + are not called in.
std::string joined(std::initializer_list<std::string> each) {
    std::string all;
    for (const std::string& one : each) all += (all.empty() ? "" : " ") + one;
    return all;
}

file_descriptor listening(const std::string& name) {
    sockaddr_un address{AF_UNIX, {}};
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    file_descriptor own(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    bind(own.get(), reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t) + 1 + name.size());
    listen(own.get(), 1);
    return own;
}

class a_file_wall : public testing::Test {
  protected:
    // What `act` returns in a process behind the wall, in which /mnt can be written to, and holds "open", which the
    // rules name, and "closed".
    std::string behind(const std::function<std::string()>& act) {
        int ends[2];
        EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
        const file_descriptor reading(ends[0]);
        file_descriptor writing(ends[1]);
        const pid_t pid = fork();
        if (pid == 0) {
            const std::string text = settle() ? act() : "no mounts of its own";
            _exit(write(writing.get(), text.data(), text.size()) < 0);
        }
        writing.reset();
        std::string text(4096, '\0');
        text.resize(std::max<ssize_t>(0, read(reading.get(), text.data(), text.size())));
        waitpid(pid, nullptr, 0);
        return text;
    }
    void expect_behind(const std::string& with, const std::string& without, const std::function<std::string()>& act) {
        EXPECT_EQ(behind(act), version_ == 0 ? without : with);
    }

    const int version_ = find_landlock().version;
    test_support::temporary_directory elsewhere_;

  private:
    bool settle() {
        if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
        if (mount("tmpfs", "/mnt", "tmpfs", 0, nullptr) != 0) return false;
        for (const char* each : {"/mnt/open", "/mnt/closed", "/mnt/closed/inside", "/mnt/open/inside"})
            mkdir(each, 0777);
        for (const char* each : {"/mnt/closed/file", "/mnt/open/file", "/mnt/log"}) opened(each, O_CREAT | O_WRONLY);
        const file_descriptor output(open("/mnt/log", O_WRONLY | O_APPEND | O_CLOEXEC));
        dup2(output.get(), 9);
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        stay_behind(make_file_wall({{"", "/mnt/open", true}, {"", "/mnt/closed", false}}, 9));
        return true;
    }
};

TEST_F(a_file_wall, is_made_where_there_is_landlock) {
    EXPECT_EQ(static_cast<bool>(make_file_wall({}, STDOUT_FILENO)), version_ != 0);
    EXPECT_EQ(find_landlock().reason.empty(), version_ != 0);
}

TEST_F(a_file_wall, closes_what_a_mount_left_writable) {
    expect_behind("EACCES EACCES EACCES EACCES EACCES done", "done done done done done done", [] {
        return joined({opened("/mnt/closed/file", O_WRONLY), opened("/mnt/closed/new", O_CREAT | O_WRONLY),
                       named(mkdir("/mnt/closed/dir", 0777)), named(symlink("a", "/mnt/closed/link")),
                       named(rmdir("/mnt/closed/inside")), opened("/mnt/closed/file", O_RDONLY)});
    });
}

TEST_F(a_file_wall, lets_files_be_cut_only_where_they_may_be_written) {
    if (version_ < 3) return;  // the right to do so came with it
    expect_behind("EACCES done", "done done", [] {
        return joined({named(truncate("/mnt/closed/file", 0)), named(truncate("/mnt/open/file", 0))});
    });
}

TEST_F(a_file_wall, leaves_open_what_the_rules_name) {
    EXPECT_EQ(behind([] {
                  return joined({opened("/mnt/open/file", O_RDWR | O_TRUNC), named(symlink("a", "/mnt/open/link")),
                                 named(mkfifo("/mnt/open/fifo", 0600)),
                                 named(rename("/mnt/open/file", "/mnt/open/inside/file")),
                                 named(link("/mnt/open/inside/file", "/mnt/open/again")),
                                 named(unlink("/mnt/open/again")), opened("/dev/null", O_WRONLY),
                                 opened("/proc/self/comm", O_WRONLY | O_TRUNC), opened("/proc/self/fd/9", O_WRONLY)});
              }),
              "done done done done done done done done done");
}

TEST_F(a_file_wall, lets_nothing_be_moved_through_it) {
    expect_behind("EACCES EXDEV", "done done", [] {
        return joined({named(rename("/mnt/open/file", "/mnt/closed/moved")),
                       named(link("/mnt/closed/file", "/mnt/open/linked"))});
    });
}

TEST_F(a_file_wall, keeps_root_from_mounts_and_devices) {
    if (geteuid() != 0) return;  // who may do neither as it is
    expect_behind("EPERM EPERM EACCES", "done done done", [] {
        return joined({named(mount("tmpfs", "/mnt/open", "tmpfs", 0, nullptr)), named(umount2("/mnt", MNT_DETACH)),
                       named(mknod("/mnt/open/null", S_IFCHR | 0666, 0x103))});
    });
}

TEST_F(a_file_wall, shuts_the_memory_of_processes_outside) {
    expect_behind("EACCES done", geteuid() == 0 ? "done done" : "EACCES done", [] {
        const std::string outside = "/proc/" + std::to_string(getppid());
        return joined({opened(outside + "/mem", O_RDWR), named(kill(getppid(), 0))});
    });
}

TEST_F(a_file_wall, shuts_abstract_sockets_outside) {
    if (version_ != 0 && version_ < 6) return;  // before scopes
    const std::string name = "cellgate-test-" + std::to_string(getpid());
    const file_descriptor server = listening(name);
    expect_behind("EPERM done", "done done", [&] {
        const file_descriptor own = listening(name + "-inside");
        return joined({connected(name), connected(name + "-inside")});
    });
}

}  // namespace
}  // namespace kernel
