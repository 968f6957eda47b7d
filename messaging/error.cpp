#include "messaging/error.hpp"
