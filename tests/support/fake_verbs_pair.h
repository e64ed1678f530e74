// What tests over the fake libibverbs begin and end with.
#pragma once

#include <catch2/catch.hpp>

#include "agent/core/gid.h"
#include "tests/support/fake_verbs.h"

namespace rdmadiag::test {

inline core::Gid gid(const char* text) { return core::parse_gid(text).value(); }

// Two RoCE devices that reach each other, and nothing else.
inline FakeVerbs& fresh_pair() {
  FakeVerbs& fake = FakeVerbs::instance();
  fake.reset();
  fake.add_device("rxe0", gid("::ffff:10.0.0.1"));
  fake.add_device("rxe1", gid("::ffff:10.0.0.2"));
  return fake;
}

// Nothing is left over, and nothing was done that verbs forbid.
inline void check_clean() {
  CHECK(FakeVerbs::instance().live_objects() == std::vector<std::string>{});
  CHECK(FakeVerbs::instance().violations() == std::vector<std::string>{});
}

}  // namespace rdmadiag::test
