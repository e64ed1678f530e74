#include "tests/exporters/certificates.h"

#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <array>
#include <atomic>
#include <ctime>
#include <stdexcept>

namespace {

void must(int rc) {
  if (rc < 0) {
    throw std::runtime_error(gnutls_strerror(rc));
  }
}

std::string taken(gnutls_datum_t& pem) {
  std::string text(reinterpret_cast<const char*>(pem.data), pem.size);
  gnutls_free(pem.data);
  return text;
}

struct Pair {
  gnutls_x509_crt_t certificate = nullptr;
  gnutls_x509_privkey_t key = nullptr;

  Pair() {
    must(gnutls_x509_crt_init(&certificate));
    must(gnutls_x509_privkey_init(&key));
  }
  ~Pair() {
    gnutls_x509_crt_deinit(certificate);
    gnutls_x509_privkey_deinit(key);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void begin(const std::string& common_name) const {
    static std::atomic<unsigned char> next_serial = 1;
    const unsigned char serial = next_serial++;
    const std::time_t now = std::time(nullptr);
    must(gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA,
                                      GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0));
    must(gnutls_x509_crt_set_key(certificate, key));
    must(gnutls_x509_crt_set_version(certificate, 3));
    must(gnutls_x509_crt_set_serial(certificate, &serial, 1));
    must(gnutls_x509_crt_set_activation_time(certificate, now - 3600));
    must(gnutls_x509_crt_set_expiration_time(certificate, now + 86400));
    must(gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0,
                                       common_name.data(),
                                       static_cast<unsigned>(common_name.size())));
    std::array<unsigned char, 64> id{};
    std::size_t size = id.size();
    must(gnutls_x509_crt_get_key_id(certificate, 0, id.data(), &size));
    must(gnutls_x509_crt_set_subject_key_id(certificate, id.data(), size));
  }
};

void add_names(gnutls_x509_crt_t certificate, const CertificateRequest& request) {
  if (!request.dns.empty()) {
    must(gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, request.dns.data(),
                                              static_cast<unsigned>(request.dns.size()),
                                              GNUTLS_FSAN_APPEND));
  }
  if (!request.ip.empty()) {
    in_addr address{};
    inet_pton(AF_INET, request.ip.c_str(), &address);
    must(gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_IPADDRESS, &address,
                                              sizeof address, GNUTLS_FSAN_APPEND));
  }
}

}  // namespace

struct CertificateAuthority::Handles {
  Pair pair;
};

CertificateAuthority::CertificateAuthority(const std::string& name)
    : handles_(std::make_unique<Handles>()) {
  const Pair& own = handles_->pair;
  own.begin(name);
  must(gnutls_x509_crt_set_basic_constraints(own.certificate, 1, -1));
  must(gnutls_x509_crt_set_key_usage(own.certificate, GNUTLS_KEY_KEY_CERT_SIGN));
  must(gnutls_x509_crt_sign2(own.certificate, own.certificate, own.key, GNUTLS_DIG_SHA256, 0));
}

CertificateAuthority::~CertificateAuthority() = default;

std::string CertificateAuthority::certificate() const {
  gnutls_datum_t pem{};
  must(gnutls_x509_crt_export2(handles_->pair.certificate, GNUTLS_X509_FMT_PEM, &pem));
  return taken(pem);
}

CertificateAndKey CertificateAuthority::sign(const CertificateRequest& request) const {
  const Pair pair;
  pair.begin(request.common_name);
  add_names(pair.certificate, request);
  must(gnutls_x509_crt_set_basic_constraints(pair.certificate, 0, -1));
  must(gnutls_x509_crt_set_key_usage(pair.certificate, GNUTLS_KEY_DIGITAL_SIGNATURE));
  must(gnutls_x509_crt_set_key_purpose_oid(
      pair.certificate, request.for_client ? GNUTLS_KP_TLS_WWW_CLIENT : GNUTLS_KP_TLS_WWW_SERVER,
      0));
  must(gnutls_x509_crt_sign2(pair.certificate, handles_->pair.certificate, handles_->pair.key,
                             GNUTLS_DIG_SHA256, 0));
  gnutls_datum_t certificate{};
  gnutls_datum_t key{};
  must(gnutls_x509_crt_export2(pair.certificate, GNUTLS_X509_FMT_PEM, &certificate));
  must(gnutls_x509_privkey_export2(pair.key, GNUTLS_X509_FMT_PEM, &key));
  return {taken(certificate), taken(key)};
}
