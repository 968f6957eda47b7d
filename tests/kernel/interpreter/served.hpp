// A kernel's server on sockets of its own, and a client of it; verbs for both. Every wait ends at a deadline.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernel/server/kernel_server.hpp"
#include "messaging/kernel_sockets.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/temporary_directory.hpp"

namespace kernel {

class served : public testing::Test, public request_sink {
  protected:
    served() {
        messaging::connection_info where;
        where.ip = directory_.path() + "/k";
        where.key = "secret";
        server = std::move(*kernel_server::bind(where));
        server->start(*this);
        client_ = std::make_unique<messaging::kernel_sockets>(
            io_.get_executor(), where, [this](messaging::message what) { received.push_back(std::move(what)); },
            [](messaging::channel, boost::system::error_code why) { ADD_FAILURE() << why.message(); });
    }
    ~served() override { server->stop(); }

    // Until the client hears what is published.
    void subscribe() {
        ASSERT_TRUE(receives([&] { return count("iopub_welcome") > 0; }));
        received.clear();
    }
    void send(const std::string& type, std::string content, messaging::channel where = messaging::channel::shell) {
        sent = messaging::make_message(where, type, "client", std::move(content));
        ASSERT_TRUE(client_->send(sent));
    }
    // The request as the kernel got it.
    messaging::message next_request() {
        EXPECT_TRUE(receives([&] {
            std::lock_guard lock(mutex_);
            return !requests_.empty();
        }));
        std::lock_guard lock(mutex_);
        auto first = requests_.front();
        requests_.pop_front();
        return first;
    }
    template <class Condition>
    bool receives(Condition condition) {
        return test_support::run_until(io_, [&] {
            io_.poll();
            io_.restart();
            return condition();
        });
    }
    bool receives_types(const std::vector<std::string>& wanted) {
        return receives([&] { return types() == wanted; });
    }
    std::size_t count(const std::string& type) const {
        std::size_t sum = 0;
        for (const auto& each : received) sum += messaging::parse_header(each.header)->msg_type == type;
        return sum;
    }
    // Of everything but replies, in order; a status by its state.
    std::vector<std::string> types() const;
    messaging::message find(const std::string& type) {
        EXPECT_TRUE(receives([&] { return count(type) > 0; })) << type;
        for (const auto& each : received)
            if (messaging::parse_header(each.header)->msg_type == type) return each;
        return {};
    }

    void on_request(messaging::message what) override {
        std::lock_guard lock(mutex_);
        requests_.push_back(std::move(what));
        boost::asio::post(io_, [] {});  // who waits looks again
    }
    void on_input_reply(messaging::message what) override { on_request(std::move(what)); }

    std::unique_ptr<kernel_server> server;
    std::vector<messaging::message> received;
    messaging::message sent;

  private:
    test_support::temporary_directory directory_;
    boost::asio::io_context io_;
    std::unique_ptr<messaging::kernel_sockets> client_;
    std::mutex mutex_;
    std::deque<messaging::message> requests_;
};

inline std::vector<std::string> served::types() const {
    std::vector<std::string> all;
    for (const auto& each : received) {
        if (each.where != messaging::channel::iopub) continue;
        auto type = messaging::parse_header(each.header)->msg_type;
        if (type == "status") type = each.content.find("busy") != std::string::npos ? "busy" : "idle";
        all.push_back(type);
    }
    return all;
}

}  // namespace kernel
