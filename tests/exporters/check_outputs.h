// Compares every output of one host with its golden files.
#pragma once

#include <string>

#include "exporters/html.h"

namespace rdmadiag::test {

// `name` is the folder below tests/fixtures/golden.
void check_outputs(const std::string& name, const exporters::PageInput& input);

}  // namespace rdmadiag::test
