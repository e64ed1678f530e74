// Certificates made on the spot: an authority and what it signs.
#pragma once

#include <memory>
#include <string>

struct CertificateRequest {
  std::string common_name;
  std::string dns = {};  // subject alternative names
  std::string ip = {};
  bool for_client = false;  // else for a server
};

struct CertificateAndKey {
  std::string certificate;  // PEM
  std::string key;
};

class CertificateAuthority {
 public:
  explicit CertificateAuthority(const std::string& name);
  ~CertificateAuthority();
  CertificateAuthority(const CertificateAuthority&) = delete;
  CertificateAuthority& operator=(const CertificateAuthority&) = delete;

  [[nodiscard]] std::string certificate() const;  // PEM
  [[nodiscard]] CertificateAndKey sign(const CertificateRequest& request) const;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};
