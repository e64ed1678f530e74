#include "agent/cli/fetch.h"

#include <curl/curl.h>

#include <memory>

namespace rdmadiag::cli {
namespace {

struct CurlCloser {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};

struct Body {
  std::size_t limit = 0;
  std::string text;
  bool too_large = false;
};

std::size_t append_body(char* bytes, std::size_t size, std::size_t count, void* into) {
  Body& body = *static_cast<Body*>(into);
  body.too_large = body.text.size() + size * count > body.limit;
  if (body.too_large) return 0;
  body.text.append(bytes, size * count);
  return size * count;
}

}  // namespace

core::Result<std::string> fetch_url(const std::string& url) { return fetch_url_within(url, {}); }

core::Result<std::string> fetch_url_within(const std::string& url, const FetchLimits& limits) {
  const std::unique_ptr<CURL, CurlCloser> handle(curl_easy_init());
  if (!handle) return core::fail("libcurl could not be started");
  Body body{.limit = limits.bytes, .text = {}};
  CURL* curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, 5000L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(limits.time.count()));
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &append_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  const CURLcode result = curl_easy_perform(curl);
  if (body.too_large) return core::fail(url + ": the answer is too large");
  if (result != CURLE_OK) return core::fail(url + ": " + curl_easy_strerror(result));
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) return core::fail(url + ": HTTP status " + std::to_string(status));
  return std::move(body.text);
}

}  // namespace rdmadiag::cli
