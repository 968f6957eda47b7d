#include "messaging/message.hpp"
