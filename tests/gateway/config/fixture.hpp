// A machine with a home, a working directory and a program on it, for the tests of the configuration.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "gateway/config/config.hpp"

namespace gateway::config {

class Configuration : public testing::Test {
  protected:
    Configuration() {
        std::string name = testing::TempDir() + "cellgate-config-XXXXXX";
        directory = mkdtemp(name.data());
        from.working_directory = directory;
        from.executable = directory + "/bin/cellgate";
        from.environment["HOME"] = "/home/ana";
        from.uid = 1000;
    }
    ~Configuration() override { std::filesystem::remove_all(directory); }

    std::string write(const std::string& name, const std::string& text) {
        auto path = std::filesystem::path(directory) / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return path.string();
    }
    std::string make_directory(const std::string& name) {
        std::filesystem::create_directories(directory + "/" + name);
        return directory + "/" + name;
    }
    void file(const std::string& text) { write("cellgate.toml", text); }
    void variable(const std::string& name, const std::string& text) { from.environment[name] = text; }
    void arguments(strings given) { from.arguments = std::move(given); }

    config loaded_values() {
        auto result = load(from);
        auto* done = std::get_if<loaded>(&result);
        if (done == nullptr) {
            ADD_FAILURE() << std::get<stop>(result).text;
            return {};
        }
        return done->values;
    }
    stop stopped() {
        auto result = load(from);
        auto* done = std::get_if<stop>(&result);
        if (done == nullptr) {
            ADD_FAILURE() << "the configuration was accepted";
            return {};
        }
        return *done;
    }

    std::string directory;
    sources from;
};

}  // namespace gateway::config
