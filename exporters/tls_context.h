// What a TLS connection is set up with: certificate, client policy, versions and ciphers. Made anew
// when the files change; connections keep the one they began with. Immutable, any thread.
#pragma once

#include <memory>
#include <string>

#include "agent/core/result.h"
#include "exporters/web_config.h"

struct gnutls_session_int;

namespace rdmadiag::exporters {

class TlsContext {
 public:
  // The error names the file at fault; it has two lines when both certificate and key are.
  [[nodiscard]] static core::Result<std::shared_ptr<const TlsContext>> make(
      const TlsServerConfig& config);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  // Sets a session up before its handshake. The context must outlive the session.
  void attach(gnutls_session_int* session) const;
  // Subject of the client's certificate when there is one and it was verified; else empty.
  [[nodiscard]] std::string client_subject(gnutls_session_int* session) const;

  [[nodiscard]] const TlsServerConfig& config() const { return config_; }

 private:
  struct Handles;
  explicit TlsContext(TlsServerConfig config);
  [[nodiscard]] core::Status prepare();
  [[nodiscard]] core::Status load_certificate();
  [[nodiscard]] bool accepts_client(gnutls_session_int* session) const;

  TlsServerConfig config_;
  std::unique_ptr<Handles> handles_;
};

}  // namespace rdmadiag::exporters
