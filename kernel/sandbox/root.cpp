#include "kernel/sandbox/root.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/mount_points.hpp"
#include "kernel/sandbox/mount_tree.hpp"

namespace kernel {
namespace {

struct placed_tree {
    mount_tree tree;
    std::string target;
};

struct placed_link {
    std::string path;
    std::string target;
};

struct parts {
    std::vector<placed_tree> trees;
    std::vector<placed_link> links;
};

constexpr const char* devices[] = {"null", "zero", "full", "random", "urandom", "tty"};

void add_read_only(parts& all, const std::string& source, const std::string& target) {
    std::optional<mount_tree> tree = mount_tree::find(source);
    if (!tree) return;
    tree->make_read_only();
    all.trees.push_back({std::move(*tree), target});
}

// /bin and its like are links into /usr on a merged system, directories elsewhere.
void add_program_directory(parts& all, const std::string& path) {
    char buffer[PATH_MAX];
    ssize_t size = readlink(path.c_str(), buffer, sizeof buffer);
    if (size > 0)
        all.links.push_back({path, std::string(buffer, size)});
    else
        add_read_only(all, path, path);
}

// A resolv.conf that a network manager keeps under /run is shown at that place too.
void add_resolver(parts& all) {
    std::unique_ptr<char, void (*)(void*)> real(realpath("/etc/resolv.conf", nullptr), &std::free);
    if (real && std::string_view(real.get()).substr(0, 5) != "/etc/") add_read_only(all, real.get(), real.get());
}

void add_system(parts& all) {
    mount_tree usr = mount_tree::take("/usr");
    usr.make_read_only();
    all.trees.push_back({std::move(usr), "/usr"});
    for (const char* each : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) add_program_directory(all, each);
    for (const char* each : {"/etc", "/opt", "/sys"}) add_read_only(all, each, each);
    add_resolver(all);
    for (const char* each : devices) {
        std::string path = std::string("/dev/") + each;
        if (std::optional<mount_tree> node = mount_tree::find(path)) all.trees.push_back({std::move(*node), path});
    }
}

// Parents before what lies in them; the later of two with one target is seen.
void add_requested(parts& all, std::vector<bind_mount> mounts) {
    std::ranges::stable_sort(mounts, {}, &bind_mount::target);
    for (const bind_mount& each : mounts) {
        mount_tree tree = mount_tree::take(each.source);
        tree.make_plain();
        if (!each.writable) tree.make_read_only();
        all.trees.push_back({std::move(tree), each.target});
    }
}

void make_directory(const std::string& path, mode_t mode) {
    require(mkdir(path.c_str(), mode), "make the directory " + path);
}

// While the host's own /proc is still there: a user namespace may only mount what it could already see.
void show_processes(processes shown) {
    make_directory("proc", 0555);
    if (shown == processes::own)
        require(mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr), "mount /proc");
    else
        require(mount("/proc", "proc", nullptr, MS_BIND | MS_REC, nullptr), "mount the host's /proc");
}

// The new root covers the host's /tmp for a moment: all that comes from there has been taken before.
void enter_new_root(processes shown) {
    mount_tmpfs("/tmp", "mode=0755");
    require(chdir("/tmp"), "enter the new root");
    show_processes(shown);
    require(syscall(SYS_pivot_root, ".", "."), "pivot_root");
    require(umount2(".", MNT_DETACH), "leave the host's root");
    require(chdir("/"), "enter the new root");
}

void make_own_directories() {
    struct own {
        const char* path;
        const char* options;
    };
    make_directory("/var", 0755);
    constexpr own places[] = {{"/dev", "mode=0755"},
                              {"/tmp", "mode=1777"},
                              {"/run", "mode=0755"},
                              {"/var/tmp", "mode=1777"},
                              {"/home", "mode=0755"}};
    for (const own& each : places) {
        make_directory(each.path, 0755);
        mount_tmpfs(each.path, each.options);
    }
    make_directory("/home/user", 0755);
    require(symlink("/run", "/var/run"), "link /var/run");
}

void fill_dev(const isolation& how) {
    make_directory("/dev/pts", 0755);
    make_directory("/dev/shm", 0755);
    mount_tmpfs("/dev/shm", "mode=1777");
    // The group tty (5) is not mapped in a user namespace.
    const char* options =
        how.user_namespace ? "newinstance,ptmxmode=0666,mode=0620" : "newinstance,ptmxmode=0666,mode=0620,gid=5";
    require(mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, options), "mount /dev/pts");
    constexpr const char* links[][2] = {{"pts/ptmx", "/dev/ptmx"},
                                        {"/proc/self/fd", "/dev/fd"},
                                        {"/proc/self/fd/0", "/dev/stdin"},
                                        {"/proc/self/fd/1", "/dev/stdout"},
                                        {"/proc/self/fd/2", "/dev/stderr"}};
    for (const auto& [target, path] : links) require(symlink(target, path), std::string("link ") + path);
}

void attach_all(const parts& all, mount_points& points) {
    for (const placed_link& each : all.links)
        require(symlink(each.target.c_str(), each.path.c_str()), "link " + each.path);
    for (const placed_tree& each : all.trees) each.tree.attach(each.target, points);
}

// Programs look their own host name up; the host's file does not know the box's.
void name_host(const std::string& hostname, mount_points& points) {
    std::ifstream theirs("/etc/hosts");
    if (!theirs) return;
    std::ostringstream text;
    text << theirs.rdbuf() << "\n127.0.1.1 " << hostname << "\n";
    const std::string path = "/hosts";
    std::ofstream(path) << text.str();
    require(chmod(path.c_str(), 0644), "protect " + path);
    mount_tree ours = mount_tree::take(path);
    ours.make_read_only();
    ours.attach("/etc/hosts", points);
    require(unlink(path.c_str()), "remove " + path);
}

}  // namespace

void assemble_root(const isolation& how, const std::string& hostname, const std::vector<bind_mount>& mounts,
                   processes shown) {
    umask(0);
    require(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "make the mounts private");
    parts all;
    add_system(all);
    add_requested(all, mounts);
    enter_new_root(shown);
    make_own_directories();
    fill_dev(how);
    mount_points points;
    attach_all(all, points);
    name_host(hostname, points);
    points.seal_all();
    seal("/dev");
    seal("/");
}

}  // namespace kernel
