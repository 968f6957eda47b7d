// That a session is being changed: nobody else changes it meanwhile. Lives on the stack of who changes it; io thread.
#pragma once

#include <set>
#include <string>
#include <utility>

namespace gateway::sessions {

// Takes its entry out again however the change ends.
class change_mark {
  public:
    change_mark(std::set<std::string>& all, std::string id) : all_(all), id_(std::move(id)) { all_.insert(id_); }
    ~change_mark() { all_.erase(id_); }
    change_mark(const change_mark&) = delete;
    change_mark& operator=(const change_mark&) = delete;

  private:
    std::set<std::string>& all_;
    std::string id_;
};

}  // namespace gateway::sessions
