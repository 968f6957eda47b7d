// What is said when a program cannot be started beside a kernel.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/kernel/with_guest.hpp"

namespace kernel {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class a_refused_guest : public with_guest {
  protected:
    std::string error_of_guest(const run_request& what) {
        const run_answer answer = run(what);
        EXPECT_EQ(answer.pid, 0);
        return answer.error;
    }
    run_request with_argv(const std::string& box, std::vector<std::string> argv) {
        run_request what = guest(box, "");
        what.argv = std::move(argv);
        return what;
    }
};
INSTANTIATE_TEST_SUITE_P(by, a_refused_guest, testing::ValuesIn(possible_users()), name_of);

TEST_P(a_refused_guest, names_the_program_and_where_it_was_looked_for) {
    const std::string box = start_host();
    EXPECT_THAT(error_of_guest(with_argv(box, {"no-such"})),
                AllOf(HasSubstr("no-such"), HasSubstr("PATH (/usr/bin:/bin)")));
    EXPECT_THAT(error_of_guest(with_argv(box, {"./no-such"})), HasSubstr("no such program"));
    EXPECT_THAT(error_of_guest(with_argv(box, {""})), HasSubstr("argv[0] is empty"));
    EXPECT_THAT(error_of_guest(with_argv(box, {})), HasSubstr("argv is empty"));
    wait_for_children(1);
}

TEST_P(a_refused_guest, is_never_read_by_a_shell) {
    write("home/tool", "echo no program\n");
    chmod(path("home/tool").c_str(), 0755);
    EXPECT_THAT(error_of_guest(with_argv(start_host(), {"/home/user/tool"})), HasSubstr("no #! line"));
}

TEST_P(a_refused_guest, names_a_working_directory_that_is_not_there) {
    run_request what = guest(start_host(), "true");
    what.working_dir = "/mnt/none";
    EXPECT_THAT(error_of_guest(what), HasSubstr("working directory /mnt/none"));
    what.working_dir = "home";
    EXPECT_THAT(error_of_guest(what), HasSubstr("not an absolute path"));
}

TEST_P(a_refused_guest, says_that_an_argument_is_too_large) {
    EXPECT_THAT(error_of_guest(with_argv(start_host(), {"echo", std::string(200 << 10, 'x')})), HasSubstr("too large"));
}

TEST_P(a_refused_guest, needs_a_box_whose_kernel_runs) {
    const std::string box = start_host();
    EXPECT_THAT(error_of_guest(guest("none", "true")), HasSubstr("kernel does not run"));
    end_host(box);
    EXPECT_THAT(error_of_guest(guest(box, "true")), HasSubstr("kernel does not run"));
}

TEST_P(a_refused_guest, may_not_have_the_id_of_one_that_runs) {
    const std::string box = start_host();
    run_request what = guest(box, "sleep 1000");
    ASSERT_EQ(run(what).error, "");
    EXPECT_THAT(error_of_guest(what), HasSubstr("runs"));
}

TEST_P(a_refused_guest, comes_with_three_descriptors) {
    run_request what = guest(start_host(), "true");
    send(what);
    EXPECT_THAT(take_run_answer(what.id).error, HasSubstr("three descriptors"));
}

}  // namespace
}  // namespace kernel
