#include "exporters/text_pool.h"

#include <algorithm>
#include <utility>

namespace rdmadiag::exporters {

std::shared_ptr<std::string> TextPool::take() {
  auto text = std::make_unique<std::string>();
  {
    const std::lock_guard lock(spare_->mutex);
    if (!spare_->texts.empty()) {
      *text = std::move(spare_->texts.back());
      spare_->texts.pop_back();
    }
  }
  text->clear();
  const auto give_back = [spare = spare_](std::string* used) {
    const std::unique_ptr<std::string> owned(used);
    const std::lock_guard lock(spare->mutex);
    spare->longest = std::max(spare->longest, owned->size());
    if (spare->texts.size() < kMaxSpare) spare->texts.push_back(std::move(*owned));
  };
  return {text.release(), give_back};
}

std::size_t TextPool::longest() const {
  const std::lock_guard lock(spare_->mutex);
  return spare_->longest;
}

}  // namespace rdmadiag::exporters
