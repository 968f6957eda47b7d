#include "tests/gateway/http/certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>

namespace test_http {
namespace {

using key_ptr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using certificate_ptr = std::unique_ptr<X509, decltype(&X509_free)>;

key_ptr make_key() { return key_ptr(EVP_EC_gen("P-256"), &EVP_PKEY_free); }

void add_extension(X509* to, int which, const char* value) {
    auto* extension = X509V3_EXT_conf_nid(nullptr, nullptr, which, value);
    X509_add_ext(to, extension, -1);
    X509_EXTENSION_free(extension);
}

certificate_ptr make_certificate(const char* name, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key, long serial) {
    certificate_ptr made(X509_new(), &X509_free);
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), key);
    auto* subject = X509_get_subject_name(made.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
    X509_set_issuer_name(made.get(), issuer ? X509_get_subject_name(issuer) : subject);
    add_extension(made.get(), NID_basic_constraints, issuer ? "CA:FALSE" : "critical,CA:TRUE");
    if (issuer) add_extension(made.get(), NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    X509_sign(made.get(), issuer_key, EVP_sha256());
    return made;
}

void write(const std::string& path, X509* certificate, EVP_PKEY* key) {
    auto* file = std::fopen(path.c_str(), "w");
    if (certificate) PEM_write_X509(file, certificate);
    if (key) PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
}

}  // namespace

certificates::certificates() {
    auto ca_key = make_key(), own_key = make_key();
    auto ca_certificate = make_certificate("test CA", ca_key.get(), nullptr, ca_key.get(), 1);
    auto own = make_certificate("localhost", own_key.get(), ca_certificate.get(), ca_key.get(), 2);
    write(ca(), ca_certificate.get(), nullptr);
    write(certificate(), own.get(), nullptr);
    write(key(), nullptr, own_key.get());
}

std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> certificates::client_context(bool with_certificate) const {
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> made(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
    SSL_CTX_load_verify_file(made.get(), ca().c_str());
    SSL_CTX_set_verify(made.get(), SSL_VERIFY_PEER, nullptr);
    if (!with_certificate) return made;
    SSL_CTX_use_certificate_chain_file(made.get(), certificate().c_str());
    SSL_CTX_use_PrivateKey_file(made.get(), key().c_str(), SSL_FILETYPE_PEM);
    return made;
}

}  // namespace test_http
