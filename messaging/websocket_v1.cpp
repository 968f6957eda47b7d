#include "messaging/websocket_v1.hpp"
