#include "probes/discovery/etcd_client.h"

#include <optional>
#include <utility>

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kMaxBody = std::size_t{16} << 20;

// Cuts a stream of JSON messages, one a line, into messages.
class LineReader {
 public:
  // False when a line grows beyond all bounds or `on_line` says false.
  bool feed(std::string_view bytes, const std::function<bool(std::string_view)>& on_line) {
    if (bytes.size() > kMaxBody - pending_.size()) return false;
    pending_.append(bytes);
    std::size_t begin = 0;
    for (std::size_t end = pending_.find('\n'); end != std::string::npos;
         end = pending_.find('\n', begin)) {
      if (!on_line(std::string_view(pending_).substr(begin, end - begin))) return false;
      begin = end + 1;
    }
    pending_.erase(0, begin);
    return true;
  }

 private:
  std::string pending_;
};

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

}  // namespace

EtcdClient::EtcdClient(std::vector<std::string> endpoints, HttpClientTls tls, const StopEvent& stop)
    : endpoints_(std::move(endpoints)), http_({.tls = std::move(tls), .max_body = kMaxBody}, stop) {
  for (std::string& endpoint : endpoints_) endpoint = without_slash(std::move(endpoint));
}

core::Result<std::string> EtcdClient::post(const std::string& path, const std::string& json) {
  core::Result<std::string> answer = core::fail("no etcd endpoint");
  for (std::size_t tried = 0; tried < endpoints_.size(); ++tried) {
    answer = http_.post_json(endpoints_[current_] + path, json);
    if (answer || answer.error().code == std::errc::operation_canceled) return answer;
    current_ = (current_ + 1) % endpoints_.size();
  }
  return answer;
}

core::Result<std::int64_t> EtcdClient::grant_lease(std::chrono::seconds ttl) {
  return post("/v3/lease/grant", encode_lease_grant(ttl)).and_then(decode_lease_grant);
}

core::Result<bool> EtcdClient::keep_alive(std::int64_t lease) {
  return post("/v3/lease/keepalive", encode_lease(lease)).and_then(decode_keep_alive);
}

core::Status EtcdClient::revoke_lease(std::int64_t lease) {
  return post("/v3/lease/revoke", encode_lease(lease)).map([](const std::string&) {});
}

core::Status EtcdClient::put(const EtcdEntry& entry, std::int64_t lease) {
  return post("/v3/kv/put", encode_put(entry, lease)).map([](const std::string&) {});
}

core::Result<EtcdRange> EtcdClient::list(std::string_view prefix) {
  return post("/v3/kv/range", encode_range(prefix)).and_then(decode_range);
}

core::Status EtcdClient::watch(std::string_view prefix, std::int64_t from_revision,
                               std::chrono::milliseconds time, const Take& take) {
  LineReader lines;
  std::optional<core::Error> failure;
  const auto on_line = [&](std::string_view line) {
    auto changes = decode_changes(line);
    if (!changes) {
      failure = std::move(changes.error());
      return false;
    }
    return take(std::move(*changes));
  };
  auto status =
      http_.post_stream(endpoints_[current_] + "/v3/watch", encode_watch(prefix, from_revision),
                        time, [&](std::string_view bytes) { return lines.feed(bytes, on_line); });
  if (failure) return tl::make_unexpected(std::move(*failure));
  if (!status) current_ = (current_ + 1) % endpoints_.size();
  return status;
}

}  // namespace rdmadiag::probes
