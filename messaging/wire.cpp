#include "messaging/wire.hpp"
