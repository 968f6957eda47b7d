// Connections that wait for their peers, the one that has waited longest first. Lines belong to shared_state, places to
// connections, which leave when they go; io thread.
#pragma once

#include <list>

namespace gateway::http {

class connection;
using waiting_line = std::list<connection*>;

class waiting_place {
  public:
    waiting_place() = default;
    waiting_place(const waiting_place&) = delete;
    waiting_place& operator=(const waiting_place&) = delete;
    ~waiting_place() { leave(); }

    // At the line's end, and no longer anywhere else.
    void enter(waiting_line& line, connection* who) {
        leave();
        at_ = line.insert(line.end(), who);
        line_ = &line;
    }
    // Whether it was in a line.
    bool leave() {
        if (!line_) return false;
        line_->erase(at_);
        line_ = nullptr;
        return true;
    }

  private:
    waiting_line* line_ = nullptr;
    waiting_line::iterator at_;
};

}  // namespace gateway::http
