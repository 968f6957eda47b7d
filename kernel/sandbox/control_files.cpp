#include "kernel/sandbox/control_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace kernel {
namespace {

file_descriptor open_at(const std::string& path, int flags) {
    return file_descriptor(open(path.c_str(), flags | O_CLOEXEC));
}

class held_lock final : public control_lock {
  public:
    explicit held_lock(file_descriptor directory) : directory_(std::move(directory)) {}

  private:
    file_descriptor directory_;
};

class machine_files final : public control_files {
  public:
    std::optional<std::string> read(const std::string& path) const override {
        file_descriptor file = open_at(path, O_RDONLY);
        if (!file) return std::nullopt;
        std::string text;
        char buffer[4096];
        for (;;) {
            const ssize_t size = ::read(file.get(), buffer, sizeof buffer);
            if (size == 0) return text;
            if (size < 0) return std::nullopt;
            text.append(buffer, static_cast<std::size_t>(size));
        }
    }

    int write(const std::string& path, const std::string& text) override {
        file_descriptor file = open_at(path, O_WRONLY);
        if (!file) return errno;
        return ::write(file.get(), text.data(), text.size()) < 0 ? errno : 0;
    }

    int make(const std::string& directory) override { return mkdir(directory.c_str(), 0755) < 0 ? errno : 0; }

    int remove(const std::string& directory) override { return rmdir(directory.c_str()) < 0 ? errno : 0; }

    std::vector<std::string> children(const std::string& directory) const override {
        std::vector<std::string> names;
        DIR* all = opendir(directory.c_str());
        if (all == nullptr) return names;
        while (const dirent* each = readdir(all))
            if (each->d_type == DT_DIR && each->d_name[0] != '.') names.emplace_back(each->d_name);
        closedir(all);
        return names;
    }

    bool may_write(const std::string& path) const override { return access(path.c_str(), W_OK) == 0; }

    std::unique_ptr<control_lock> lock(const std::string& directory) override {
        file_descriptor opened = open_directory(directory);
        if (!opened || flock(opened.get(), LOCK_EX | LOCK_NB) != 0) return nullptr;
        return std::make_unique<held_lock>(std::move(opened));
    }

    file_descriptor open_directory(const std::string& path) const override {
        return open_at(path, O_RDONLY | O_DIRECTORY);
    }

    file_descriptor open_to_write(const std::string& path) const override { return open_at(path, O_WRONLY); }
};

}  // namespace

control_files& machine_control_files() {
    static machine_files all;
    return all;
}

}  // namespace kernel
