#include "gateway/kernels/kernel_fsm.hpp"

namespace gateway::kernels {

const char* to_string(timer_kind which) {
    switch (which) {
        case timer_kind::launch:
            return "launch";
        case timer_kind::probe:
            return "probe";
        case timer_kind::nudge:
            return "nudge";
        case timer_kind::stable:
            return "stable";
        case timer_kind::shutdown:
            return "shutdown";
        case timer_kind::kill:
            return "kill";
    }
    return "";
}

const char* to_string(phase where) {
    switch (where) {
        case phase::unborn:
            return "unborn";
        case phase::launching:
            return "launching";
        case phase::probing:
            return "probing";
        case phase::injecting:
            return "injecting";
        case phase::running:
            return "running";
        case phase::stopping:
            return "stopping";
        case phase::draining:
            return "draining";
        case phase::dead:
            return "dead";
    }
    return "";
}

std::string to_string(const lifecycle_action& action) {
    switch (action.what) {
        case lifecycle_action::launch:
            return std::string("launch over ") + to_string(action.over);
        case lifecycle_action::connect:
            return "connect";
        case lifecycle_action::probe:
            return "probe";
        case lifecycle_action::inject:
            return "inject";
        case lifecycle_action::inject_missed:
            return "inject missed";
        case lifecycle_action::ask_shutdown:
            return "ask shutdown";
        case lifecycle_action::kill:
            return "kill";
        case lifecycle_action::drain:
            return "drain";
        case lifecycle_action::disconnect:
            return "disconnect";
        case lifecycle_action::start_timer:
            return std::string("start ") + to_string(action.which);
        case lifecycle_action::cancel_timer:
            return std::string("cancel ") + to_string(action.which);
        case lifecycle_action::tell: {
            std::string told = std::string("tell ") + to_string(action.state);
            return action.why == end_reason::none ? told : told + " " + to_string(action.why);
        }
    }
    return "";
}

}  // namespace gateway::kernels
