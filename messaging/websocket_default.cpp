#include "messaging/websocket_default.hpp"
