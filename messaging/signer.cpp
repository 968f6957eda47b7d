#include "messaging/signer.hpp"
