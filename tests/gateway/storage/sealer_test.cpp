#include "gateway/storage/sealer.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace gateway::storage {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Sealer : testing::Test {
    test_support::temporary_directory home;
    secret_file file{home.path() + "/some.key", "the key of tests", "ask nobody"};

    void write(const std::string& text) {
        std::ofstream(file.path) << text;
        fs::permissions(file.path, fs::perms(0600));
    }
    std::string refusal() const {
        auto opened = sealer::open(file);
        return opened ? "no refusal" : opened.error().message;
    }
};

TEST_F(Sealer, OpensWhatItSealedWithWhatItWasBoundToAlone) {
    auto with = sealer::open_or_make(file).value();
    auto sealed = with.seal("a secret", "its owner").value();
    EXPECT_NE(with.seal("a secret", "its owner").value(), sealed);
    EXPECT_EQ(sealer::open(file).value().open(sealed, "its owner").value(), "a secret");
    EXPECT_FALSE(with.open(sealed, "another"));
    sealed.back() = sealed.back() == '0' ? '1' : '0';
    EXPECT_FALSE(with.open(sealed, "its owner"));
    EXPECT_EQ(with.open(with.seal("", "").value(), "").value(), "");
}

TEST_F(Sealer, KeepsItsKeyToItsUser) {
    auto before = umask(0);
    ASSERT_TRUE(sealer::open_or_make(file));
    umask(before);
    EXPECT_EQ(fs::status(file.path).permissions(), fs::perms(0600));
    fs::permissions(file.path, fs::perms(0640));
    EXPECT_THAT(refusal(), HasSubstr("chmod 600"));
}

TEST_F(Sealer, RefusesAKeyFileThatIsNone) {
    EXPECT_THAT(refusal(), HasSubstr("cannot be read: No such file"));
    EXPECT_THAT(refusal(), HasSubstr("ask nobody"));
    for (const auto& text : {std::string(), std::string("short"), std::string(63, 'a') + "g", std::string(66, 'a')}) {
        write(text);
        EXPECT_THAT(refusal(), HasSubstr("64 hex digits")) << text;
    }
    fs::remove(file.path);
    ASSERT_EQ(::mkfifo(file.path.c_str(), 0600), 0);
    EXPECT_NE(refusal(), "no refusal");
    fs::remove(file.path);
    fs::create_symlink("/dev/zero", file.path);
    EXPECT_NE(refusal(), "no refusal");
}

TEST_F(Sealer, TakesAKeyThatAPersonWrote) {
    write(std::string(32, 'A') + std::string(32, '0') + "\n");
    EXPECT_EQ(read_secret(file).value(), std::string(16, '\xaa') + std::string(16, '\0'));
}

TEST_F(Sealer, ManyThatMakeTheKeyAtATimeGetTheSame) {
    std::vector<std::thread> threads;
    std::vector<std::string> sealed(8);
    for (auto& each : sealed)
        threads.emplace_back([&] { each = sealer::open_or_make(file).value().seal("x", "y").value(); });
    for (auto& each : threads) each.join();
    auto with = sealer::open(file).value();
    for (const auto& each : sealed) EXPECT_EQ(with.open(each, "y").value(), "x");
    EXPECT_EQ(std::distance(fs::directory_iterator(home.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace gateway::storage
