#include "exporters/web_config_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace rdmadiag::exporters {
namespace {

constexpr std::chrono::seconds kLookInterval{1};

// Everything about a file that changes when its content may have.
std::string state_of(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return "errno " + std::to_string(errno) + ";";
  }
  std::string state;
  for (const auto part :
       {static_cast<long long>(status.st_dev), static_cast<long long>(status.st_ino),
        static_cast<long long>(status.st_size), static_cast<long long>(status.st_mtim.tv_sec),
        static_cast<long long>(status.st_mtim.tv_nsec),
        static_cast<long long>(status.st_ctim.tv_sec),
        static_cast<long long>(status.st_ctim.tv_nsec)}) {
    state += std::to_string(part) + ' ';
  }
  return state + ';';
}

// Before each line.
std::string with_prefix(const std::string& prefix, std::string lines) {
  for (std::size_t at = lines.find('\n'); at != lines.npos; at = lines.find('\n', at + 1)) {
    lines.insert(at + 1, prefix);
  }
  return prefix + lines;
}

// What is logged has one line.
core::Error in_one_line(const core::Error& error) {
  std::string text = error.message();
  const auto more = std::ranges::count(text, '\n');
  if (more > 0) {
    text.resize(text.find('\n'));
    text += " (and " + std::to_string(more) + " more)";
  }
  return {{}, std::move(text)};
}

}  // namespace

core::Result<WebPolicy> load_web_policy(const std::filesystem::path& file) {
  auto config = load_web_config(file);
  if (!config) {
    return tl::make_unexpected(std::move(config.error()));
  }
  WebPolicy policy;
  if (config->tls) {
    auto tls = TlsContext::make(*config->tls);
    if (!tls) {
      return core::fail(with_prefix(file.string() + ": ", tls.error().message()));
    }
    policy.tls = std::move(*tls);
  }
  policy.config = std::make_shared<const WebConfig>(std::move(*config));
  return policy;
}

core::Result<WebConfigWatch> WebConfigWatch::open(std::optional<std::filesystem::path> file,
                                                  const core::Clock& clock, OnReload on_reload) {
  WebConfigWatch watch(std::move(file), clock, std::move(on_reload));
  if (!watch.file_) {
    return watch;
  }
  auto policy = watch.read();
  if (!policy) {
    return tl::make_unexpected(std::move(policy.error()));
  }
  watch.policy_ = std::move(*policy);
  return watch;
}

const WebPolicy& WebConfigWatch::current() {
  const core::SteadyTime now = clock_->steady();
  if (!file_ || now < next_look_) {
    return policy_;
  }
  next_look_ = now + kLookInterval;
  // After a failure it is read again in any case: the missing file may be one that is not watched.
  if (problem_.empty() && state_of_files() == seen_) {
    return policy_;
  }
  auto policy = read();
  if (policy && (policy->tls == nullptr) != (policy_.tls == nullptr)) {
    policy = core::fail(file_->string() + ": TLS cannot be turned on or off without a restart");
  }
  note_reload(policy);
  if (policy) {
    policy_ = std::move(*policy);
  }
  return policy_;
}

void WebConfigWatch::note_reload(const core::Result<WebPolicy>& policy) {
  const std::string problem = policy ? "" : policy.error().message();
  const bool is_known = !policy && problem == problem_;
  problem_ = problem;
  if (is_known || !on_reload_) {
    return;
  }
  on_reload_(policy ? core::Status() : core::fail("web config not reloaded: " + problem));
}

core::Result<WebPolicy> WebConfigWatch::read() {
  if (watched_.empty()) {
    watched_ = {*file_};
  }
  core::Result<WebPolicy> policy;
  do {
    // State before content: a change in between is then seen as one the next time.
    seen_ = state_of_files();
    policy = load_web_policy(*file_);
    if (!policy) {
      return tl::make_unexpected(in_one_line(policy.error()));
    }
  } while (std::exchange(watched_, policy->config->files) != policy->config->files);
  return policy;
}

std::string WebConfigWatch::state_of_files() const {
  std::string state;
  for (const auto& file : watched_) {
    state += state_of(file);
  }
  return state;
}

}  // namespace rdmadiag::exporters
