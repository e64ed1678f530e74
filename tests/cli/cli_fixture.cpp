#include "tests/cli/cli_fixture.h"

#include <cerrno>
#include <sstream>

#include "agent/cli/run.h"

namespace rdmadiag::test {
namespace {

class RefusingNetlink final : public host::NetlinkSource {
 public:
  explicit RefusingNetlink(int error_number) : error_(error_number) {}

  core::Result<std::vector<host::NetlinkDevice>> list_devices() override { return refuse(); }
  core::Result<host::NetlinkPort> port(std::uint32_t, std::uint32_t) override { return refuse(); }
  core::Result<std::vector<host::NetlinkCounter>> port_statistics(std::uint32_t,
                                                                  std::uint32_t) override {
    return refuse();
  }
  core::Result<std::vector<core::ResourceCount>> resources(std::uint32_t) override {
    return refuse();
  }
  core::Result<std::vector<core::QueuePair>> queue_pairs(std::uint32_t) override {
    return refuse();
  }
  core::Result<bool> netns_shared() override { return refuse(); }

 private:
  [[nodiscard]] tl::unexpected<core::Error> refuse() const {
    return core::errno_error(error_, "netlink");
  }

  int error_;
};

}  // namespace

std::shared_ptr<host::NetlinkSource> refusing_netlink(int error_number) {
  return std::make_shared<RefusingNetlink>(error_number);
}

CliResult CliFixture::run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  cli::World world;
  world.clock = clock;
  world.files = std::make_shared<host::SystemFileReader>();
  world.make_netlink = [&] { return netlink; };
  world.addresses = addresses;
  world.roots = {tree.sys(), tree.proc(), tree.dev()};
  world.hostname = "here";
  world.config_file = tree.at("etc/rdmadiag.yaml");
  world.limits = limits;
  world.trace = trace;
  world.out = &out;
  world.err = &err;
  world.style = style;
  world.out_is_terminal = out_is_terminal;
  world.out_is_closed = [] { return false; };
  world.wait = [&](std::chrono::nanoseconds duration) {
    clock->advance(duration);
    return during_wait(duration);
  };
  world.fetch = [&](const cli::HttpCall& call) -> core::Result<std::string> {
    if (answer_call) return answer_call(call);
    const auto page = pages.find(call.url);
    if (page == pages.end()) return core::fail(call.url + ": HTTP status 404");
    return page->second;
  };
  std::vector<const char*> argv = {"rdmadiag"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  CliResult result;
  result.code = cli::run(static_cast<int>(argv.size()), argv.data(), world);
  result.out = out.str();
  result.err = err.str();
  return result;
}

}  // namespace rdmadiag::test
