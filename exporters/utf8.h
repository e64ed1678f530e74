// Text from outside made fit for an output: names come from kernel, firmware and administrators and
// may hold any byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rdmadiag::exporters {

// Length of the well-formed UTF-8 sequence `text` begins with (no overlong forms, no surrogates);
// 0 when it begins with anything else or is empty.
[[nodiscard]] std::size_t utf8_sequence_length(std::string_view text);

// `text` with every byte that is not part of well-formed UTF-8 spelled `\xHH`.
[[nodiscard]] std::string valid_utf8(std::string_view text);

// valid_utf8, and control characters spelled `\n`, `\t` or `\xHH` too: safe on a terminal.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace rdmadiag::exporters
