#include "messaging/kernel_sockets.hpp"
