// How wellness is coloured on a terminal.
#pragma once

#include "exporters/table.h"
#include "exporters/words.h"

namespace rdmadiag::exporters {

[[nodiscard]] inline Paint paint_of(Wellness wellness) {
  switch (wellness) {
    case Wellness::kGood: return Paint::kGood;
    case Wellness::kWarning: return Paint::kWarning;
    case Wellness::kBad: return Paint::kBad;
    case Wellness::kUnknown: return Paint::kFaint;
  }
  return Paint::kPlain;
}

}  // namespace rdmadiag::exporters
