// A session's directories and its store, and verbs for what a caller does from outside and a program from inside.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "mounts/local_files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace mounts {

namespace fs = std::filesystem;

inline file_path at(const std::string& path) { return file_path::parse(path).value(); }

class files_fixture : public testing::Test {
  protected:
    files_fixture() {
        fs::create_directory(inside());
        fs::create_directory(uploads());
    }

    std::string inside(const std::string& path = "") const {
        return directory_.path() + "/files" + (path.empty() ? "" : "/" + path);
    }
    std::string uploads() const { return directory_.path() + "/uploads"; }
    std::string outside(const std::string& name) const { return directory_.path() + "/" + name; }

    // As a program inside writes it.
    void write(const std::string& path, const std::string& text = "x") const {
        fs::create_directories(fs::path(inside(path)).parent_path());
        std::ofstream(inside(path), std::ios::binary) << text;
    }
    static std::string content_of(const std::string& path) {
        std::stringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        return text.str();
    }

    file_result<written_file> put(const std::string& path, const std::string& text, const file_condition& when = {}) {
        auto begun = files_.begin(at(path), when);
        if (!begun) return begun.error();
        if (auto done = (*begun)->write(text); !done) return done.error();
        return (*begun)->commit();
    }
    std::string get(const std::string& path) {
        auto opened = files_.open(at(path));
        return opened ? (*opened)->read(0, 1 << 20).value() : "(" + opened.error().text + ")";
    }
    template <class T>
    static file_errc code(const file_result<T>& of) {
        return of.error().code;
    }
    bool nothing_is_left_of_uploads() const { return fs::is_empty(uploads()); }

    test_support::temporary_directory directory_;
    local_files files_{inside(), uploads()};
};

}  // namespace mounts
