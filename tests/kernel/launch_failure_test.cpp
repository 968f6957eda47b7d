// What is said when a kernel cannot be started.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#include "tests/kernel/launched.hpp"

namespace kernel {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class a_failed_launch : public launched {
  protected:
    ~a_failed_launch() override {
        if (launcher_pid() != 0) {
            EXPECT_EQ(children(), 0U) << "a failed launch left a process";
        }
    }
    std::string error_of(const launch_request& what) {
        launch_answer answer = launch(what);
        EXPECT_EQ(answer.pid, 0);
        return answer.error;
    }
};
INSTANTIATE_TEST_SUITE_P(by, a_failed_launch, testing::ValuesIn(possible_users()), name_of);

TEST_P(a_failed_launch, names_the_missing_program) {
    launch_request what = script("");
    what.argv = {"/usr/bin/no-such-program"};
    EXPECT_THAT(error_of(what),
                AllOf(HasSubstr("/usr/bin/no-such-program"), HasSubstr("no such program inside the box")));
}

TEST_P(a_failed_launch, tells_a_missing_interpreter_from_a_missing_program) {
    write("home/tool", "#!/no/such/python\n");
    chmod(path("home/tool").c_str(), 0755);
    launch_request what = script("");
    what.argv = {"/home/user/tool"};
    EXPECT_THAT(error_of(what), HasSubstr("interpreter"));
}

TEST_P(a_failed_launch, names_a_file_that_is_no_program) {
    write("home/tool", "text");
    launch_request what = script("");
    what.argv = {"/home/user/tool"};
    EXPECT_THAT(error_of(what), AllOf(HasSubstr("/home/user/tool"), HasSubstr("not an executable")));
}

TEST_P(a_failed_launch, names_the_missing_mount_source) {
    launch_request what = script("");
    what.mounts.push_back({path("missing"), "/data", false});
    EXPECT_EQ(error_of(what), "mount " + path("missing") + ": No such file or directory");
}

TEST_P(a_failed_launch, names_the_missing_working_directory) {
    launch_request what = script("");
    what.working_dir = "/missing/nowhere";
    EXPECT_THAT(error_of(what), HasSubstr("working directory /missing/nowhere"));
}

TEST_P(a_failed_launch, names_the_output_file_that_cannot_be_made) {
    launch_request what = script("");
    what.output_file = path("missing/log");
    EXPECT_EQ(error_of(what), "open the output file " + path("missing/log") + ": No such file or directory");
}

TEST_P(a_failed_launch, names_what_is_wrong_with_the_request) {
    struct {
        const char* said;
        void (*spoil)(launch_request&);
    } cases[] = {
        {"argv is empty", [](launch_request& what) { what.argv.clear(); }},
        {"argv[0] \"python\" is not an absolute path", [](launch_request& what) { what.argv = {"python"}; }},
        {"argv contains a NUL", [](launch_request& what) { what.argv.push_back(std::string(2, '\0')); }},
        {"env has the name \"a=b\"", [](launch_request& what) { what.env["a=b"] = "c"; }},
        {"working_dir \"\" is not", [](launch_request& what) { what.working_dir = ""; }},
        {"mount target \"/a/../b\" contains ..",
         [](launch_request& what) {
             what.mounts.push_back({"/usr", "/a/../b", false});
         }},
        {"mount target /",
         [](launch_request& what) {
             what.mounts.push_back({"/usr", "/", false});
         }},
        {"hostname \"a b\"", [](launch_request& what) { what.hostname = "a b"; }},
    };
    for (const auto& each : cases) {
        launch_request what = script("");
        each.spoil(what);
        EXPECT_THAT(error_of(what), HasSubstr(each.said));
    }
}

// As in a container whose seccomp profile allows no namespaces.
void forbid_namespaces() {
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWNS, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program{std::size(rules), rules};
    bool done =
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
    if (!done) _exit(97);
}

TEST_P(a_failed_launch, says_what_a_machine_must_allow) {
    prepare_ = forbid_namespaces;
    EXPECT_THAT(error_of(script("")),
                AllOf(HasSubstr("namespaces: Operation not permitted: this machine does not allow it"),
                      HasSubstr("kernel.unprivileged_userns_clone")));
}

void write_line(const char* file, const std::string& text) {
    file_descriptor opened(open(file, O_WRONLY | O_CLOEXEC));
    if (write(opened.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(96);
}

void allow_no_pid_namespaces() {
    auto only = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; };
    std::string uids = only(geteuid());
    std::string gids = only(getegid());
    if (unshare(CLONE_NEWUSER) != 0) _exit(97);
    write_line("/proc/self/setgroups", "deny");
    write_line("/proc/self/uid_map", uids);
    write_line("/proc/self/gid_map", gids);
    write_line("/proc/sys/user/max_pid_namespaces", "0");
}

TEST_P(a_failed_launch, names_the_limit_that_was_reached) {
    prepare_ = [this] {
        drop_rights();
        allow_no_pid_namespaces();
    };
    EXPECT_THAT(error_of(script("")),
                AllOf(HasSubstr("No space left on device"), HasSubstr("user.max_pid_namespaces")));
}

TEST_P(a_failed_launch, is_one_with_the_id_of_a_living_kernel) {
    launch_request first = script("sleep 1000");
    EXPECT_EQ(launch(first).error, "");
    EXPECT_THAT(launch(first).error, HasSubstr(first.id));
    send(kill_command{first.id});
    wait_for_exit(first.id);
}

TEST_P(a_failed_launch, does_not_disturb_the_next_one) {
    launch_request what = script("");
    what.argv = {"/no"};
    error_of(what);
    EXPECT_EQ(output_of("echo fine"), "fine\n");
}

}  // namespace
}  // namespace kernel
