// A librdmacm made of plain memory beside FakeVerbs, whose queue pairs it connects. Calls fail by
// FakeVerbs::fail_nth, and channels and ids count as its live objects. One thread.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>

namespace rdmadiag::test {

class FakeRdmaCm {
 public:
  static FakeRdmaCm& instance();

  // After FakeVerbs::reset().
  void reset();
  // What ids that are bound have open of their device; it must outlive them. None by default.
  void set_context(ibv_context* context);
  // Addresses cannot be resolved.
  void set_unreachable(bool unreachable);
  // The other side of every connection hears that it ended.
  void hang_up();
  // Connects to a listening port as a stranger would, with this token.
  void call_as_stranger(std::uint16_t port, std::uint64_t token);
  [[nodiscard]] int rejected() const;
  // Of the last connection asked for.
  [[nodiscard]] int traffic_class() const;

 private:
  FakeRdmaCm() = default;
};

}  // namespace rdmadiag::test
