#include "gateway/http/late_body.hpp"

#include <memory>
#include <utility>

namespace gateway::http {
namespace {

class late_body {
  public:
    late_body(late_finder find, std::function<std::string(const failure&)> tell, milliseconds every)
        : find_(std::move(find)), tell_(std::move(tell)), every_(every) {}

    awaitable<std::optional<std::string>> next() {
        std::optional<std::string> piece;
        if (rest_) {
            piece = co_await rest_();
        } else if (!failed_) {
            piece = co_await wait();
        }
        co_return piece;
    }

  private:
    // A space, or the beginning of the rest.
    awaitable<std::optional<std::string>> wait() {
        std::optional<std::string> piece = " ";
        auto finding = find_();
        auto found = co_await with_timeout(std::move(finding), every_, "the answer");
        if (found) {
            rest_ = std::move(*found);
            piece = co_await rest_();
        } else if (found.error().code != errc::timeout) {
            failed_ = true;
            piece = tell_(found.error());
        }
        co_return piece;
    }

    late_finder find_;
    std::function<std::string(const failure&)> tell_;
    milliseconds every_;
    body_source rest_;
    bool failed_ = false;
};

}  // namespace

body_source make_late_body(late_finder find, std::function<std::string(const failure&)> tell, milliseconds every) {
    auto made = std::make_shared<late_body>(std::move(find), std::move(tell), every);
    return [made] { return made->next(); };
}

}  // namespace gateway::http
