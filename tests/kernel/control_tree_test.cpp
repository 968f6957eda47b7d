// Where the machine lets a launcher limit its boxes: read from /proc and the file systems that it names.
#include "kernel/sandbox/control_tree.hpp"

#include <gmock/gmock.h>

#include "tests/kernel/fake_control_files.hpp"

namespace kernel {
namespace {

using testing::HasSubstr;

constexpr const char* first_mounts =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n";
constexpr const char* first_groups = "8:pids:/\n4:memory:/a/b\n1:cpuacct,cpu:/c\n0::/\n";
constexpr const char* second_mounts = "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n";
constexpr const char* own = "/sys/fs/cgroup/user.slice/cellgate.service";

class a_control_tree : public testing::Test {
  protected:
    a_control_tree() {
        files.describe_process(second_mounts, "0::/user.slice/cellgate.service\n");
        files.add_second(own, "cpu memory pids");
        files.put(std::string(own) + "/cgroup.procs", "100\n101\n");
    }
    control_tree delegated() {
        control_tree found = find_control_tree(files);
        delegate_controllers(files, found);
        return found;
    }
    std::string reason(const control_tree& of, controller which) { return of.reasons[static_cast<std::size_t>(which)]; }

    fake_control_files files;
};

TEST_F(a_control_tree, has_the_directory_of_the_own_group_for_each_controller_of_version_1) {
    files.describe_process(first_mounts, first_groups);
    for (const char* each : {"/sys/fs/cgroup/cpu,cpuacct/c", "/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/pids"})
        files.add_first(each);
    const control_tree found = find_control_tree(files);
    EXPECT_EQ(found.of(controller::cpu), (control_place{1, "/sys/fs/cgroup/cpu,cpuacct/c"}));
    EXPECT_EQ(found.of(controller::memory), (control_place{1, "/sys/fs/cgroup/memory/a/b"}));
    EXPECT_EQ(found.of(controller::pids), (control_place{1, "/sys/fs/cgroup/pids"}));
    EXPECT_EQ(found.directories().size(), 3u);
}

TEST_F(a_control_tree, has_one_directory_for_all_controllers_of_version_2) {
    const control_tree found = find_control_tree(files);
    for (controller each : all_controllers) EXPECT_EQ(found.of(each), (control_place{2, own}));
    EXPECT_EQ(found.directories(), std::vector<std::string>{own});
}

TEST_F(a_control_tree, takes_from_each_version_what_it_has) {
    files.describe_process(std::string(second_mounts) + "35 31 0:32 / /v1/memory rw - cgroup cgroup rw,memory\n",
                           "4:memory:/\n0::/user.slice/cellgate.service\n");
    files.add_first("/v1/memory");
    const control_tree found = find_control_tree(files);
    EXPECT_EQ(found.of(controller::memory), (control_place{1, "/v1/memory"}));
    EXPECT_EQ(found.of(controller::pids), (control_place{2, own}));
}

TEST_F(a_control_tree, is_found_in_a_container_whose_mount_begins_at_its_own_group) {
    files.describe_process("41 31 0:38 /docker/ab /cg rw - cgroup2 cgroup2 rw\n", "0::/docker/ab/inner\n");
    files.add_second("/cg/inner", "pids");
    EXPECT_EQ(find_control_tree(files).of(controller::pids), (control_place{2, "/cg/inner"}));
}

TEST_F(a_control_tree, says_of_each_controller_why_it_is_not_there) {
    files.add_second(own, "pids");
    files.forbid(std::string(own) + "/cgroup.subtree_control");
    const control_tree found = find_control_tree(files);
    EXPECT_TRUE(found.directories().empty());
    EXPECT_EQ(reason(found, controller::memory), std::string(own) + " has no memory controller");
    EXPECT_EQ(reason(found, controller::pids), std::string(own) + " is not delegated to this user");
    files.describe_process("", "");
    EXPECT_EQ(reason(find_control_tree(files), controller::cpu), "no control group file system is mounted");
    files.describe_process(first_mounts, first_groups);
    EXPECT_EQ(reason(find_control_tree(files), controller::pids), "/sys/fs/cgroup/pids is not this user's to write");
}

TEST_F(a_control_tree, hands_controllers_on_after_its_processes_have_gone_to_a_leaf) {
    EXPECT_EQ(delegated().directories(), std::vector<std::string>{own});
    EXPECT_EQ(files.text_of(std::string(own) + "/cgroup.procs"), "");
    EXPECT_EQ(files.text_of(std::string(own) + "/cellgate-gateway/cgroup.procs"), "100\n101\n");
    EXPECT_EQ(files.text_of(std::string(own) + "/cgroup.subtree_control"), "cpu memory pids ");
}

TEST_F(a_control_tree, is_the_same_for_a_gateway_that_is_started_in_that_leaf) {
    delegated();
    files.describe_process(second_mounts, "0::/user.slice/cellgate.service/cellgate-gateway\n");
    EXPECT_EQ(delegated().directories(), std::vector<std::string>{own});
    EXPECT_FALSE(files.is_there(std::string(own) + "/cellgate-gateway/cellgate-gateway"));
}

TEST_F(a_control_tree, leaves_the_processes_at_the_top_of_the_file_system_where_they_are) {
    files.describe_process("41 31 0:38 / /top rw - cgroup2 cgroup2 rw\n", "0::/\n");
    files.add_second("/top", "cpu memory pids", true);
    files.put("/top/cgroup.procs", "1\n100\n");
    EXPECT_EQ(delegated().directories(), std::vector<std::string>{"/top"});
    EXPECT_EQ(files.text_of("/top/cgroup.procs"), "1\n100\n");
}

TEST_F(a_control_tree, offers_nothing_where_processes_cannot_be_moved) {
    files.make(std::string(own) + "/cellgate-gateway");
    files.forbid(std::string(own) + "/cellgate-gateway/cgroup.procs");
    const control_tree found = delegated();
    EXPECT_TRUE(found.directories().empty());
    EXPECT_THAT(reason(found, controller::memory), HasSubstr("cannot be moved: Permission denied"));
}

}  // namespace
}  // namespace kernel
