// A real HTTP client for the server's tests: libcurl, one request a call.
#pragma once

#include <map>
#include <string>
#include <vector>

struct CurlRequest {
  std::string url = {};
  std::string method = {};  // empty means GET, or POST with a body
  std::string body = {};
  std::vector<std::string> headers = {};  // "Name: value"
  std::string user = {};                  // "name:password"
  std::string ca_file = {};               // what the server's certificate must be signed by
  std::string cert_file = {};             // of the client
  std::string key_file = {};
  long tls_max_version = 0;  // CURL_SSLVERSION_MAX_…
  bool accept_gzip = false;  // ask for it and unpack it
};

struct CurlResponse {
  long status = 0;                                  // 0 when there was no answer
  std::string error;                                // libcurl's words then
  std::multimap<std::string, std::string> headers;  // names in lower case
  std::string body = {};

  [[nodiscard]] std::string header(const std::string& lower_case_name) const;
};

[[nodiscard]] CurlResponse fetch(const CurlRequest& request);
[[nodiscard]] CurlResponse get(const std::string& url);
