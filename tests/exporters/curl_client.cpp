#include "tests/exporters/curl_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <memory>

namespace {

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* body) {
  static_cast<std::string*>(body)->append(bytes, size * count);
  return size * count;
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* headers) {
  const std::string line(bytes, size * count);
  const std::size_t colon = line.find(':');
  if (colon != std::string::npos) {
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::size_t end = line.find_last_not_of("\r\n");
    const std::size_t begin = std::min(line.find_first_not_of(' ', colon + 1), end + 1);
    static_cast<std::multimap<std::string, std::string>*>(headers)->emplace(
        name, line.substr(begin, end + 1 - begin));
  }
  return size * count;
}

void set_tls(CURL* curl, const CurlRequest& request) {
  if (!request.ca_file.empty()) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, request.ca_file.c_str());
  }
  if (!request.cert_file.empty()) {
    curl_easy_setopt(curl, CURLOPT_SSLCERT, request.cert_file.c_str());
    curl_easy_setopt(curl, CURLOPT_SSLKEY, request.key_file.c_str());
  }
  if (request.tls_max_version != 0) {
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, request.tls_max_version);
  }
}

}  // namespace

std::string CurlResponse::header(const std::string& lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? "" : found->second;
}

CurlResponse get(const std::string& url) {
  CurlRequest request;
  request.url = url;
  return fetch(request);
}

CurlResponse fetch(const CurlRequest& request) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle(curl_easy_init(),
                                                                   &curl_easy_cleanup);
  CURL* curl = handle.get();
  CurlResponse response;
  curl_slist* list = nullptr;
  for (const std::string& header : request.headers) {
    list = curl_slist_append(list, header.c_str());
  }
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 60L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response.body);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response.headers);
  if (!request.body.empty()) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.c_str());
  }
  if (request.method == "HEAD") {
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  } else if (!request.method.empty()) {
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  if (request.accept_gzip) {
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip");
  }
  if (!request.user.empty()) {
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(curl, CURLOPT_USERPWD, request.user.c_str());
  }
  set_tls(curl, request);
  const CURLcode rc = curl_easy_perform(curl);
  if (rc != CURLE_OK) {
    response.error = curl_easy_strerror(rc);
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &response.status);
  curl_slist_free_all(list);
  return response;
}
