// How the project says "it did not work": an error code and what we were doing. See
// docs/errors in CONTRIBUTING.md for which of Result, optional and ReadIssue to use when.
#pragma once

#include <string>
#include <string_view>
#include <system_error>
#include <tl/expected.hpp>
#include <utility>

namespace rdmadiag::core {

struct Error {
  std::error_code code;  // may be empty when no system call failed, e.g. a parse error
  std::string what;      // what we were doing, with the path or name it was about

  // "reading /a/b: Invalid argument", or just `what` without a code.
  [[nodiscard]] std::string message() const { return code ? what + ": " + code.message() : what; }
};

template <class T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> fail(std::string what) {
  return tl::make_unexpected(Error{{}, std::move(what)});
}

// `error_number` is a positive errno value, saved by the caller before anything else can change it.
[[nodiscard]] inline tl::unexpected<Error> errno_error(int error_number, std::string_view what) {
  return tl::make_unexpected(
      Error{std::error_code(error_number, std::generic_category()), std::string(what)});
}

}  // namespace rdmadiag::core
