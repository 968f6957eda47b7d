#include "mounts/loop_device.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

namespace mounts {
namespace {

using ::kernel::file_descriptor;
namespace fs = std::filesystem;

constexpr std::chrono::seconds patience(10);  // while one of a gateway that ended is being taken apart
constexpr std::chrono::milliseconds pause(20);

enum class match { none, same, going };

match compare(int device, const struct stat& image) {
    loop_info64 about{};
    if (ioctl(device, LOOP_GET_STATUS64, &about) != 0) return match::going;
    return about.lo_inode == image.st_ino && about.lo_device == image.st_dev ? match::same : match::none;
}

}  // namespace

// What the page cache has of the image would be there twice: the device writes past it where that is possible.
result<loop_device> loop_device::make(int image) {
    const file_descriptor control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    if (!control) return system_problem("open /dev/loop-control");
    const int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return system_problem("find a free loop device");
    auto path = "/dev/loop" + std::to_string(number);
    file_descriptor opened(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!opened) return system_problem("open " + path);
    loop_config config{};
    config.fd = static_cast<__u32>(image);
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO;
    if (ioctl(opened.get(), LOOP_CONFIGURE, &config) != 0) return system_problem("set up " + path);
    return loop_device(std::move(opened), std::move(path));
}

// EBUSY: there is one, and it is going.
result<loop_device> loop_device::find(int image) {
    struct stat wanted {};
    if (fstat(image, &wanted) != 0) return system_problem("examine the disk image");
    errno = ENOENT;
    std::error_code ec;
    for (const auto& each : fs::directory_iterator("/sys/block", ec)) {
        if (!fs::exists(each.path() / "loop/backing_file", ec)) continue;
        auto path = "/dev/" + each.path().filename().string();
        file_descriptor opened(open(path.c_str(), O_RDWR | O_CLOEXEC));
        if (!opened) continue;
        const match how = compare(opened.get(), wanted);
        if (how == match::same) return loop_device(std::move(opened), std::move(path));
    }
    errno = ENOENT;
    return system_problem("find a loop device");
}

result<loop_device> loop_device::of(int image) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (;;) {
        auto found = find(image);
        if (found) return found;
        auto made = make(image);
        const bool was_taken = !made && errno == EBUSY;  // by somebody else, between two calls
        if (!was_taken || std::chrono::steady_clock::now() > deadline) return made;
        std::this_thread::sleep_for(pause);
    }
}

void loop_device::grow() const { (void)ioctl(opened_.get(), LOOP_SET_CAPACITY); }

}  // namespace mounts
