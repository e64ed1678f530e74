#include "agent/host/ethtool_ioctl.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace rdmadiag::host {
namespace {

constexpr std::size_t kMaxStatistics = 1U << 16;

class Socket {
 public:
  Socket() : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

core::Status command(const std::string& netdev, void* data, const char* what) {
  ifreq request{};
  if (netdev.size() >= sizeof request.ifr_name)
    return core::errno_error(ENODEV, "ethtool " + std::string(what) + " of " + netdev);
  std::memcpy(request.ifr_name, netdev.data(), netdev.size());
  request.ifr_data = static_cast<char*>(data);
  const Socket socket;
  if (socket.fd() < 0) return core::errno_error(errno, "socket for ethtool");
  if (::ioctl(socket.fd(), SIOCETHTOOL, &request) < 0)
    return core::errno_error(errno, "ethtool " + std::string(what) + " of " + netdev);
  return {};
}

// Memory that ends at a page nobody may write. The kernel copies as many statistics as it has at
// that moment, whatever the caller has room for: too many give EFAULT and not a corrupted heap.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t size) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    usable_ = (size + page - 1) / page * page;
    mapped_ = usable_ + page;
    void* memory =
        ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = static_cast<unsigned char*>(memory);
    ::mprotect(memory_ + usable_, page, PROT_NONE);
  }
  ~GuardedBuffer() {
    if (memory_ != nullptr) ::munmap(memory_, mapped_);
  }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  [[nodiscard]] unsigned char* get() const { return memory_; }

 private:
  std::size_t usable_ = 0;
  std::size_t mapped_ = 0;
  unsigned char* memory_ = nullptr;
};

template <std::size_t N>
std::string fixed_text(const char (&raw)[N]) {
  return {raw, ::strnlen(raw, N)};
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

core::Result<std::size_t> statistic_count(const std::string& netdev) {
  // struct ethtool_sset_info ends in one u32 for each bit of the mask.
  alignas(
      ethtool_sset_info) unsigned char bytes[sizeof(ethtool_sset_info) + sizeof(std::uint32_t)]{};
  auto* info = new (bytes) ethtool_sset_info;
  info->cmd = ETHTOOL_GSSET_INFO;
  info->sset_mask = 1U << ETH_SS_STATS;
  if (auto done = command(netdev, info, "GSSET_INFO"); !done)
    return tl::make_unexpected(done.error());
  if (info->sset_mask == 0) return 0;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes + sizeof(ethtool_sset_info), sizeof count);
  if (count > kMaxStatistics) return core::errno_error(EMSGSIZE, "ethtool statistics of " + netdev);
  return count;
}

}  // namespace

core::Result<NetdevDriver> SystemEthtoolIoctl::driver(const std::string& netdev) {
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  if (auto done = command(netdev, &info, "GDRVINFO"); !done)
    return tl::make_unexpected(done.error());
  return NetdevDriver{fixed_text(info.driver), fixed_text(info.version),
                      fixed_text(info.fw_version), fixed_text(info.bus_info)};
}

core::Result<std::vector<std::string>> SystemEthtoolIoctl::statistic_names(
    const std::string& netdev) {
  const auto count = statistic_count(netdev);
  if (!count) return tl::make_unexpected(count.error());
  std::vector<std::string> names;
  if (*count == 0) return names;
  const GuardedBuffer buffer(sizeof(ethtool_gstrings) + *count * ETH_GSTRING_LEN);
  if (buffer.get() == nullptr) return core::errno_error(ENOMEM, "ethtool names of " + netdev);
  auto* strings = new (buffer.get()) ethtool_gstrings;
  strings->cmd = ETHTOOL_GSTRINGS;
  strings->string_set = ETH_SS_STATS;
  strings->len = static_cast<std::uint32_t>(*count);
  if (auto done = command(netdev, strings, "GSTRINGS"); !done)
    return tl::make_unexpected(done.error());
  const std::size_t filled = std::min<std::size_t>(strings->len, *count);
  const auto* first = reinterpret_cast<const char*>(buffer.get() + sizeof(ethtool_gstrings));
  for (std::size_t i = 0; i < filled; ++i) {
    const char* raw = first + i * ETH_GSTRING_LEN;
    names.emplace_back(trimmed({raw, ::strnlen(raw, ETH_GSTRING_LEN)}));
  }
  return names;
}

core::Result<std::size_t> SystemEthtoolIoctl::statistics(const std::string& netdev,
                                                         std::size_t expected,
                                                         std::vector<std::uint64_t>& values) {
  const GuardedBuffer buffer(sizeof(ethtool_stats) + expected * sizeof(std::uint64_t));
  if (buffer.get() == nullptr) return core::errno_error(ENOMEM, "ethtool values of " + netdev);
  auto* stats = new (buffer.get()) ethtool_stats;
  stats->cmd = ETHTOOL_GSTATS;
  stats->n_stats = static_cast<std::uint32_t>(expected);
  if (auto done = command(netdev, stats, "GSTATS"); !done) {
    if (done.error().code == std::errc::bad_address)
      return expected + 1;  // more than we have room for
    return tl::make_unexpected(done.error());
  }
  const std::size_t count = stats->n_stats;
  if (count != expected) return count;
  values.resize(count);
  std::memcpy(values.data(), buffer.get() + sizeof(ethtool_stats), count * sizeof(std::uint64_t));
  return count;
}

}  // namespace rdmadiag::host
