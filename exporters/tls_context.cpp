#include "exporters/tls_context.h"

#include <arpa/inet.h>
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "exporters/tls_priority.h"

namespace rdmadiag::exporters {
namespace {

using CertificateHandle = std::unique_ptr<gnutls_x509_crt_int, decltype(&gnutls_x509_crt_deinit)>;

gnutls_datum_t datum(const std::string& text) {
  return {reinterpret_cast<unsigned char*>(const_cast<char*>(text.data())),
          static_cast<unsigned>(text.size())};
}

// What gnutls says of loading certificates, as the end of a sentence about the file.
std::string why_no_certificate(int rc) {
  if (rc == 0 || rc == GNUTLS_E_NO_CERTIFICATE_FOUND || rc == GNUTLS_E_BASE64_DECODING_ERROR ||
      rc == GNUTLS_E_BASE64_UNEXPECTED_HEADER_ERROR) {
    return " holds no certificate in PEM format, or one that is broken";
  }
  return std::string(" cannot be used: ") + gnutls_strerror(rc);
}

// The same of a key; empty when there is nothing wrong with it.
std::string why_no_key(const gnutls_datum_t& key) {
  gnutls_privkey_t parsed = nullptr;
  if (gnutls_privkey_init(&parsed) != GNUTLS_E_SUCCESS) {
    return {};
  }
  const int rc = gnutls_privkey_import_x509_raw(parsed, &key, GNUTLS_X509_FMT_PEM, nullptr, 0);
  gnutls_privkey_deinit(parsed);
  if (rc == GNUTLS_E_SUCCESS) {
    return {};
  }
  if (rc == GNUTLS_E_DECRYPTION_FAILED) {
    return " is encrypted, and nobody is there to give its passphrase: store it without one";
  }
  return " holds no private key in PEM format, or one that is broken";
}

CertificateHandle client_certificate(gnutls_session_t session) {
  CertificateHandle none(nullptr, &gnutls_x509_crt_deinit);
  unsigned count = 0;
  const gnutls_datum_t* chain = gnutls_certificate_get_peers(session, &count);
  gnutls_x509_crt_t raw = nullptr;
  if (chain == nullptr || count == 0 || gnutls_x509_crt_init(&raw) != GNUTLS_E_SUCCESS) {
    return none;
  }
  CertificateHandle certificate(raw, &gnutls_x509_crt_deinit);
  if (gnutls_x509_crt_import(raw, &chain[0], GNUTLS_X509_FMT_DER) != GNUTLS_E_SUCCESS) {
    return none;
  }
  return certificate;
}

std::string san_text(unsigned type, const std::string& raw) {
  if (type == GNUTLS_SAN_IPADDRESS && (raw.size() == 4 || raw.size() == 16)) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(raw.size() == 4 ? AF_INET : AF_INET6, raw.data(), text.data(), text.size());
    return text.data();
  }
  const bool is_text =
      type == GNUTLS_SAN_DNSNAME || type == GNUTLS_SAN_RFC822NAME || type == GNUTLS_SAN_URI;
  return is_text ? raw : std::string();
}

bool has_allowed_san(gnutls_x509_crt_t certificate, const std::vector<std::string>& allowed) {
  for (unsigned i = 0;; ++i) {
    std::string raw(4096, '\0');
    std::size_t size = raw.size();
    unsigned type = 0;
    const int rc =
        gnutls_x509_crt_get_subject_alt_name2(certificate, i, raw.data(), &size, &type, nullptr);
    if (rc == GNUTLS_E_SHORT_MEMORY_BUFFER) {
      continue;
    }
    if (rc < 0) {
      return false;
    }
    raw.resize(size);
    const std::string text = san_text(type, raw);
    if (!text.empty() && std::find(allowed.begin(), allowed.end(), text) != allowed.end()) {
      return true;
    }
  }
}

}  // namespace

struct TlsContext::Handles {
  gnutls_certificate_credentials_t credentials = nullptr;
  gnutls_priority_t priority = nullptr;

  ~Handles() {
    if (priority != nullptr) {
      gnutls_priority_deinit(priority);
    }
    if (credentials != nullptr) {
      gnutls_certificate_free_credentials(credentials);
    }
  }
};

TlsContext::TlsContext(TlsServerConfig config)
    : config_(std::move(config)), handles_(std::make_unique<Handles>()) {}

TlsContext::~TlsContext() = default;

core::Result<std::shared_ptr<const TlsContext>> TlsContext::make(const TlsServerConfig& config) {
  std::shared_ptr<TlsContext> context(new TlsContext(config));
  if (auto ready = context->prepare(); !ready) {
    return tl::make_unexpected(std::move(ready.error()));
  }
  return context;
}

core::Status TlsContext::prepare() {
  if (gnutls_certificate_allocate_credentials(&handles_->credentials) != GNUTLS_E_SUCCESS) {
    return core::errno_error(ENOMEM, "preparing TLS");
  }
  if (auto ok = load_certificate(); !ok) {
    return ok;
  }
  if (config_.client_ca) {
    const gnutls_datum_t ca = datum(config_.client_ca->text);
    if (const int rc =
            gnutls_certificate_set_x509_trust_mem(handles_->credentials, &ca, GNUTLS_X509_FMT_PEM);
        rc <= 0) {
      return core::fail("client CA " + config_.client_ca->name + why_no_certificate(rc));
    }
  }
  auto priority = tls_priority(config_);
  if (!priority) {
    return tl::make_unexpected(std::move(priority.error()));
  }
  const char* where = nullptr;
  const int rc = gnutls_priority_init(&handles_->priority, priority->c_str(), &where);
  if (rc != GNUTLS_E_SUCCESS) {
    return core::fail(std::string("TLS settings leave nothing usable: ") + gnutls_strerror(rc));
  }
  return {};
}

// The library takes a certificate with its key and does not say which of the two it cannot take.
core::Status TlsContext::load_certificate() {
  const gnutls_datum_t certificate = datum(config_.certificate.text);
  const gnutls_datum_t key = datum(config_.key.text);
  const int rc = gnutls_certificate_set_x509_key_mem2(handles_->credentials, &certificate, &key,
                                                      GNUTLS_X509_FMT_PEM, nullptr, 0);
  if (rc >= 0) {
    return {};
  }
  if (rc == GNUTLS_E_CERTIFICATE_KEY_MISMATCH) {
    return core::fail("certificate " + config_.certificate.name + " does not match key " +
                      config_.key.name);
  }
  std::string lines;
  const int count = gnutls_certificate_set_x509_trust_mem(handles_->credentials, &certificate,
                                                          GNUTLS_X509_FMT_PEM);
  if (count <= 0) {
    lines = "certificate " + config_.certificate.name + why_no_certificate(count);
  }
  if (const std::string why = why_no_key(key); !why.empty() || count > 0) {
    lines += (lines.empty() ? "key " : "\nkey ") + config_.key.name +
             (why.empty() ? std::string(" cannot be used: ") + gnutls_strerror(rc) : why);
  }
  return core::fail(std::move(lines));
}

void TlsContext::attach(gnutls_session_t session) const {
  gnutls_priority_set(session, handles_->priority);
  gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, handles_->credentials);
  switch (config_.client_auth) {
    case ClientAuth::kNone:
      gnutls_certificate_server_set_request(session, GNUTLS_CERT_IGNORE);
      return;
    case ClientAuth::kRequest:
      gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST);
      return;
    case ClientAuth::kVerifyIfGiven:
      gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST);
      break;
    case ClientAuth::kRequireAny:
    case ClientAuth::kRequireAndVerify:
      gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
      break;
  }
  gnutls_session_set_ptr(session, const_cast<TlsContext*>(this));
  gnutls_session_set_verify_function(session, [](gnutls_session_t checked) {
    const auto* self = static_cast<const TlsContext*>(gnutls_session_get_ptr(checked));
    return self->accepts_client(checked) ? 0 : GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR;
  });
}

bool TlsContext::accepts_client(gnutls_session_t session) const {
  const CertificateHandle certificate = client_certificate(session);
  if (!certificate) {
    return config_.client_auth == ClientAuth::kVerifyIfGiven;
  }
  if (config_.client_auth != ClientAuth::kRequireAny) {
    // Without the purpose, any certificate of that CA would do, a server's too.
    gnutls_typed_vdata_st purpose{};
    purpose.type = GNUTLS_DT_KEY_PURPOSE_OID;
    purpose.data = reinterpret_cast<unsigned char*>(const_cast<char*>(GNUTLS_KP_TLS_WWW_CLIENT));
    unsigned status = 0;
    const int rc = gnutls_certificate_verify_peers(session, &purpose, 1, &status);
    if (rc != GNUTLS_E_SUCCESS || status != 0) {
      return false;
    }
  }
  return config_.client_allowed_sans.empty() ||
         has_allowed_san(certificate.get(), config_.client_allowed_sans);
}

std::string TlsContext::client_subject(gnutls_session_t session) const {
  if (config_.client_auth != ClientAuth::kVerifyIfGiven &&
      config_.client_auth != ClientAuth::kRequireAndVerify) {
    return {};
  }
  const CertificateHandle certificate = client_certificate(session);
  gnutls_datum_t name{};
  if (!certificate || gnutls_x509_crt_get_dn3(certificate.get(), &name, 0) != GNUTLS_E_SUCCESS) {
    return {};
  }
  std::string subject(reinterpret_cast<const char*>(name.data), name.size);
  gnutls_free(name.data);
  return subject;
}

}  // namespace rdmadiag::exporters
