// A self-signed certificate made for a test, with the names or addresses it is good for.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace test_support {

struct certificate {
    std::string pem;
    std::string key_pem;
};

namespace detail {
inline std::string drain(BIO* from) {
    char* data = nullptr;
    auto size = BIO_get_mem_data(from, &data);
    return std::string(data, static_cast<std::size_t>(size));
}
}  // namespace detail

// `names` as OpenSSL writes them: "DNS:localhost,IP:127.0.0.1".
inline certificate make_certificate(const std::string& names) {
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), X509_free);
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), key.get());
    auto* name = X509_get_subject_name(made.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(made.get(), name);
    X509V3_CTX context;
    X509V3_set_ctx(&context, made.get(), made.get(), nullptr, nullptr, 0);
    std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, names.c_str()), X509_EXTENSION_free);
    X509_add_ext(made.get(), extension.get(), -1);
    X509_sign(made.get(), key.get(), EVP_sha256());
    std::unique_ptr<BIO, decltype(&BIO_free)> pem(BIO_new(BIO_s_mem()), BIO_free);
    std::unique_ptr<BIO, decltype(&BIO_free)> key_pem(BIO_new(BIO_s_mem()), BIO_free);
    PEM_write_bio_X509(pem.get(), made.get());
    PEM_write_bio_PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return {detail::drain(pem.get()), detail::drain(key_pem.get())};
}

}  // namespace test_support
