#include "messaging/connection_file.hpp"
