// A CA, and a certificate for localhost signed by it, made by OpenSSL for one test; files that go with it.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "tests/support/temporary_directory.hpp"

namespace test_http {

class certificates {
  public:
    certificates();

    std::string ca() const { return directory_.path() + "/ca.pem"; }
    std::string certificate() const { return directory_.path() + "/cert.pem"; }
    std::string key() const { return directory_.path() + "/key.pem"; }
    // A client that trusts the CA; `with_certificate` lets it show the certificate too.
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> client_context(bool with_certificate = false) const;

  private:
    test_support::temporary_directory directory_;
};

}  // namespace test_http
