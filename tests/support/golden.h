// Expected outputs as files under tests/fixtures/golden. RDMADIAG_UPDATE_GOLDEN=1 in the
// environment writes them anew instead; look at what git then shows.
#pragma once

#include <string>
#include <string_view>

namespace rdmadiag::test {

// Empty when `actual` is what the golden file says, else what differs. `name` is the file's path
// below the golden folder.
[[nodiscard]] std::string golden_difference(std::string_view name, std::string_view actual);

}  // namespace rdmadiag::test
