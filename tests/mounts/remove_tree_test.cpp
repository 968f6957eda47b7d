#include "mounts/remove_tree.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kernel/launcher/file_descriptor.hpp"
#include "tests/support/temporary_directory.hpp"

namespace mounts {
namespace {

namespace fs = std::filesystem;

class a_tree : public testing::Test {
  protected:
    a_tree() : parent_(open(directory_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        fs::create_directory(path("tree"));
    }
    std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
    void write(const std::string& name) { std::ofstream(path(name)) << "x"; }
    result<void> remove() { return remove_tree(parent_.get(), "tree"); }
    bool gone() const { return !fs::exists(fs::symlink_status(path("tree"))); }

    test_support::temporary_directory directory_;
    ::kernel::file_descriptor parent_;
};

TEST_F(a_tree, goes_with_everything_in_it) {
    fs::create_directories(path("tree/a/b/c"));
    write("tree/a/b/file");
    ASSERT_EQ(mkfifo(path("tree/a/fifo").c_str(), 0600), 0);
    for (int i = 0; i < 1000; ++i) write("tree/a/" + std::to_string(i));
    ASSERT_TRUE(remove());
    EXPECT_TRUE(gone());
}

TEST_F(a_tree, may_be_missing) {
    ASSERT_TRUE(remove());
    EXPECT_TRUE(remove());
}

TEST_F(a_tree, does_not_take_along_what_its_links_point_to) {
    fs::create_directory(path("outside"));
    write("outside/file");
    fs::create_directory_symlink(path("outside"), path("tree/link"));
    fs::create_symlink(path("outside/file"), path("tree/file"));
    ASSERT_TRUE(remove());
    EXPECT_TRUE(gone());
    EXPECT_TRUE(fs::exists(path("outside/file")));
}

TEST_F(a_tree, that_is_a_link_is_only_unlinked) {
    fs::remove(path("tree"));
    fs::create_directory(path("outside"));
    fs::create_directory_symlink(path("outside"), path("tree"));
    ASSERT_TRUE(remove());
    EXPECT_TRUE(gone());
    EXPECT_TRUE(fs::exists(path("outside")));
}

TEST_F(a_tree, may_be_deeper_than_there_are_descriptors) {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    ::kernel::file_descriptor at(open(path("tree").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int depth = 0; depth < 400; ++depth) {
        ASSERT_EQ(mkdirat(at.get(), "d", 0700), 0);
        at.reset(openat(at.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    at.reset();
    rlimit few{200, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    result<void> removed = remove();
    setrlimit(RLIMIT_NOFILE, &before);
    ASSERT_TRUE(removed) << removed.error().text;
    EXPECT_TRUE(gone());
}

// Runs in a child: an ordinary user is stopped by permissions, root is not.
void as_ordinary_user(const std::string& directory, void (*todo)(int parent)) {
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0) {
            bool dropped = setgroups(0, nullptr) == 0 && chown(directory.c_str(), 1000, 1000) == 0 &&
                           setresgid(1000, 1000, 1000) == 0 && setresuid(1000, 1000, 1000) == 0;
            if (!dropped) _exit(9);
        }
        int parent = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        todo(parent);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(a_tree, goes_although_an_ordinary_user_took_all_permissions_away) {
    as_ordinary_user(directory_.path(), [](int parent) {
        bool made = mkdirat(parent, "closed", 0700) == 0 && mkdirat(parent, "closed/a", 0700) == 0 &&
                    mkdirat(parent, "closed/a/b", 0000) == 0 && fchmodat(parent, "closed/a", 0500, 0) == 0 &&
                    fchmodat(parent, "closed", 0000, 0) == 0;
        if (!made) _exit(1);
        if (!remove_tree(parent, "closed")) _exit(2);
        if (faccessat(parent, "closed", F_OK, 0) == 0) _exit(3);
    });
}

TEST_F(a_tree, names_what_could_not_be_removed_and_removes_the_rest) {
    if (geteuid() == 0) {
        // What another user made: only root may take it away.
        fs::create_directories(path("tree/theirs/x"));
        ASSERT_EQ(chown(path("tree").c_str(), 1000, 1000), 0);
        as_ordinary_user(directory_.path(), [](int parent) {
            if (mkdirat(parent, "tree/ours", 0700) != 0) _exit(1);
            result<void> removed = remove_tree(parent, "tree");
            if (removed || removed.error().text != "remove tree/theirs/x: Permission denied") _exit(2);
            if (faccessat(parent, "tree/ours", F_OK, 0) == 0) _exit(3);
        });
        return;
    }
    fs::permissions(directory_.path(), fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_EQ(remove().error().text, "remove tree: Permission denied");
    fs::permissions(directory_.path(), fs::perms::owner_all);
}

TEST_F(a_tree, of_another_user_goes_when_root_removes_it) {
    fs::create_directories(path("tree/a"));
    write("tree/a/file");
    if (geteuid() == 0) {
        for (const char* each : {"tree", "tree/a", "tree/a/file"}) ASSERT_EQ(chown(path(each).c_str(), 1000, 1000), 0);
    }
    fs::permissions(path("tree/a"), fs::perms::none);
    ASSERT_TRUE(remove());
    EXPECT_TRUE(gone());
}

TEST_F(a_tree, goes_although_files_were_made_immutable) {
    write("tree/file");
    ::kernel::file_descriptor file(open(path("tree/file").c_str(), O_RDONLY | O_CLOEXEC));
    int attributes = FS_IMMUTABLE_FL;
    // Where this may not be set (an ordinary user, some file systems) a kernel could not have set it either.
    (void)ioctl(file.get(), FS_IOC_SETFLAGS, &attributes);
    file.reset();
    ASSERT_TRUE(remove());
    EXPECT_TRUE(gone());
}

}  // namespace
}  // namespace mounts
