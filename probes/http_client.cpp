// The functions' types are wanted, not the macros that check their arguments.
#define CURL_DISABLE_TYPECHECK
#include "probes/http_client.h"

#include <curl/curl.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#undef curl_easy_setopt
#undef curl_easy_getinfo

namespace rdmadiag::probes {
namespace {

constexpr int kStopped = -1;
constexpr int kPollMilliseconds = 1000;

// libcurl is loaded when it is first needed: it brings three megabytes of other libraries with it,
// and an agent without peers never talks HTTP to anybody.
struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_multi_init) multi_init = nullptr;
  decltype(&curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&curl_multi_perform) multi_perform = nullptr;
  decltype(&curl_multi_info_read) multi_info_read = nullptr;
  decltype(&curl_multi_poll) multi_poll = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;

  std::string problem;  // why it could not be loaded; empty when it was
};

constexpr const char* kCurl = "libcurl.so.4";

template <class Function>
void find(void* library, const char* name, Function& function, std::string& problem) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && problem.empty()) problem = std::string(kCurl) + " has no " + name;
}

CurlLibrary load() {
  CurlLibrary curl;
  void* library = dlopen(kCurl, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    curl.problem = dlerror();
    return curl;
  }
  find(library, "curl_global_init", curl.global_init, curl.problem);
  find(library, "curl_easy_init", curl.easy_init, curl.problem);
  find(library, "curl_easy_cleanup", curl.easy_cleanup, curl.problem);
  find(library, "curl_easy_reset", curl.easy_reset, curl.problem);
  find(library, "curl_easy_setopt", curl.easy_setopt, curl.problem);
  find(library, "curl_easy_getinfo", curl.easy_getinfo, curl.problem);
  find(library, "curl_easy_strerror", curl.easy_strerror, curl.problem);
  find(library, "curl_multi_init", curl.multi_init, curl.problem);
  find(library, "curl_multi_cleanup", curl.multi_cleanup, curl.problem);
  find(library, "curl_multi_add_handle", curl.multi_add_handle, curl.problem);
  find(library, "curl_multi_remove_handle", curl.multi_remove_handle, curl.problem);
  find(library, "curl_multi_perform", curl.multi_perform, curl.problem);
  find(library, "curl_multi_info_read", curl.multi_info_read, curl.problem);
  find(library, "curl_multi_poll", curl.multi_poll, curl.problem);
  find(library, "curl_slist_append", curl.slist_append, curl.problem);
  find(library, "curl_slist_free_all", curl.slist_free_all, curl.problem);
  if (curl.problem.empty()) curl.global_init(CURL_GLOBAL_DEFAULT);
  return curl;
}

const CurlLibrary& curl() {
  static const CurlLibrary library = load();
  return library;
}

struct CurlCloser {
  void operator()(CURL* handle) const { curl().easy_cleanup(handle); }
};
struct MultiCloser {
  void operator()(CURLM* handle) const { curl().multi_cleanup(handle); }
};
struct ListCloser {
  void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};

// With the server's own words where they are one printable line.
std::string refusal(long status, std::string_view body) {
  constexpr std::size_t kMaxWords = 200;
  std::string text = "HTTP status " + std::to_string(status);
  const std::string_view line = body.substr(0, body.find('\n'));
  const auto printable = [](unsigned char c) { return c >= 0x20 && c < 0x7f; };
  if (!line.empty() && line.size() <= kMaxWords && std::ranges::all_of(line, printable))
    text.append(": ").append(line);
  return text;
}

// libcurl's own words say more than those of its code, such as which check of a certificate failed.
std::string words_of(CURLcode code, const char* detail) {
  std::string words = *detail != '\0' ? detail : curl().easy_strerror(code);
  if (code == CURLE_GOT_NOTHING) words += "; does it want https (tls.ca_file)?";
  if (code == CURLE_URL_MALFORMAT) words += "; an agent is HOST:PORT, a port at most 65535";
  if (code == CURLE_PEER_FAILED_VERIFICATION) words += "; tls.ca_file names who is trusted";
  return words;
}

}  // namespace

struct HttpClient::Handles {
  Handles() {
    if (!curl().problem.empty()) return;
    multi.reset(curl().multi_init());
    easy.reset(curl().easy_init());
    curl_slist* list = curl().slist_append(nullptr, "Content-Type: application/json");
    json_headers.reset(curl().slist_append(list, "Expect:"));
  }

  std::array<char, CURL_ERROR_SIZE> detail{};  // what libcurl says went wrong; it outlives `easy`
  // The multi handle holds the connections, so it goes last.
  std::unique_ptr<CURLM, MultiCloser> multi;
  std::unique_ptr<CURL, CurlCloser> easy;
  std::unique_ptr<curl_slist, ListCloser> json_headers;
};

struct HttpClient::Call {
  const std::string& url;
  const std::string* json = nullptr;  // null: GET
  const Take* take = nullptr;         // null: the body is gathered
  std::chrono::milliseconds time;
  std::size_t max_body = 0;
  std::string body = {};
  bool too_large = false;
  bool taken = false;  // `take` said that it is enough

  static std::size_t write(char* bytes, std::size_t size, std::size_t count, void* into) {
    Call& call = *static_cast<Call*>(into);
    const std::string_view piece(bytes, size * count);
    if (call.take != nullptr) {
      call.taken = !(*call.take)(piece);
      return call.taken ? 0 : piece.size();
    }
    call.too_large = piece.size() > call.max_body - call.body.size();
    if (call.too_large) return 0;
    call.body.append(piece);
    return piece.size();
  }
};

HttpClient::HttpClient(HttpClientOptions options, const StopEvent& stop)
    : options_(std::move(options)), stop_(stop), handles_(std::make_unique<Handles>()) {}

HttpClient::~HttpClient() = default;

core::Result<std::string> HttpClient::get(const std::string& url) {
  Call call{.url = url, .time = options_.timeout, .max_body = options_.max_body};
  return perform(call);
}

core::Result<std::string> HttpClient::post_json(const std::string& url, const std::string& json) {
  Call call{.url = url, .json = &json, .time = options_.timeout, .max_body = options_.max_body};
  return perform(call);
}

core::Status HttpClient::post_stream(const std::string& url, const std::string& json,
                                     std::chrono::milliseconds time, const Take& take) {
  Call call{.url = url, .json = &json, .take = &take, .time = time};
  auto result = perform(call);
  if (!result) return tl::make_unexpected(std::move(result.error()));
  return {};
}

core::Result<std::string> HttpClient::perform(Call& call) {
  const std::string doing =
      (call.json != nullptr ? "POST " : "GET ") + url_without_credentials(call.url);
  if (!curl().problem.empty()) return core::fail(doing + ": " + curl().problem);
  if (!handles_->multi || !handles_->easy) return core::errno_error(ENOMEM, doing);
  prepare(call);
  const int rc = run(call);
  long status = 0;
  curl().easy_getinfo(handles_->easy.get(), CURLINFO_RESPONSE_CODE, &status);
  if (rc == kStopped) return core::errno_error(ECANCELED, doing);
  if (call.too_large) {
    return core::fail(doing + ": the answer is larger than " + std::to_string(call.max_body) +
                      " bytes");
  }
  const bool stream_ended =
      call.taken || (call.take != nullptr && rc == CURLE_OPERATION_TIMEDOUT && status == 200);
  if (rc != CURLE_OK && !stream_ended) {
    if (rc == CURLE_COULDNT_CONNECT) {
      long error = 0;
      curl().easy_getinfo(handles_->easy.get(), CURLINFO_OS_ERRNO, &error);
      if (error != 0) return core::errno_error(static_cast<int>(error), doing);
    }
    if (rc == CURLE_OPERATION_TIMEDOUT) return core::errno_error(ETIMEDOUT, doing);
    return core::fail(doing + ": " + words_of(static_cast<CURLcode>(rc), handles_->detail.data()));
  }
  if (status != 200) return core::fail(doing + ": " + refusal(status, call.body));
  return std::move(call.body);
}

void HttpClient::prepare(const Call& call) {
  CURL* easy = handles_->easy.get();
  curl().easy_reset(easy);
  handles_->detail.front() = '\0';
  curl().easy_setopt(easy, CURLOPT_ERRORBUFFER, handles_->detail.data());
  curl().easy_setopt(easy, CURLOPT_URL, call.url.c_str());
  curl().easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl().easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl().easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl().easy_setopt(easy, CURLOPT_USERAGENT, "rdmadiag");
  curl().easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // Else a stop would wait for a name server that does not answer.
  curl().easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl().easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(options_.connect_timeout.count()));
  curl().easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(call.time.count()));
  curl().easy_setopt(easy, CURLOPT_MAXCONNECTS, 4L);
  curl().easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Call::write);
  curl().easy_setopt(easy, CURLOPT_WRITEDATA, &call);
  if (call.json != nullptr) {
    curl().easy_setopt(easy, CURLOPT_HTTPHEADER, handles_->json_headers.get());
    curl().easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(call.json->size()));
    curl().easy_setopt(easy, CURLOPT_POSTFIELDS, call.json->c_str());
  }
  const HttpClientTls& tls = options_.tls;
  if (!tls.ca_file.empty()) curl().easy_setopt(easy, CURLOPT_CAINFO, tls.ca_file.c_str());
  if (!tls.cert_file.empty()) curl().easy_setopt(easy, CURLOPT_SSLCERT, tls.cert_file.c_str());
  if (!tls.key_file.empty()) curl().easy_setopt(easy, CURLOPT_SSLKEY, tls.key_file.c_str());
}

int HttpClient::run(Call& /*call*/) {
  CURLM* multi = handles_->multi.get();
  curl().multi_add_handle(multi, handles_->easy.get());
  std::optional<int> result;
  while (!result) {
    int running = 0;
    curl().multi_perform(multi, &running);
    int left = 0;
    if (const CURLMsg* done = curl().multi_info_read(multi, &left); done != nullptr) {
      result = done->data.result;
    } else if (stop_.is_set()) {
      result = kStopped;
    } else {
      curl_waitfd stop{stop_.fd(), CURL_WAIT_POLLIN, 0};
      curl().multi_poll(multi, &stop, 1, kPollMilliseconds, nullptr);
    }
  }
  curl().multi_remove_handle(multi, handles_->easy.get());
  return *result;
}

std::string url_without_credentials(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  const std::size_t at = url.rfind('@', end);
  if (at == std::string::npos || at < begin || at >= end) return url;
  return url.substr(0, begin) + url.substr(at + 1);
}

}  // namespace rdmadiag::probes
