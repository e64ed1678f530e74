#include "exporters/text_pool.h"

#include <catch2/catch.hpp>
#include <vector>

namespace rdmadiag::exporters {
namespace {

TEST_CASE("a text's memory is used again once nobody has the text any more") {
  TextPool pool;
  auto first = pool.take();
  first->assign(10'000, 'x');
  const char* const memory = first->data();
  const std::shared_ptr<const std::string> reader = first;
  first.reset();

  const auto second = pool.take();
  second->assign(10'000, 'y');
  CHECK(second->data() != memory);
  CHECK(*reader == std::string(10'000, 'x'));
}

TEST_CASE("a text comes empty, with the room of the one before") {
  TextPool pool;
  const char* memory = nullptr;
  {
    const auto text = pool.take();
    text->assign(10'000, 'x');
    memory = text->data();
  }
  const auto text = pool.take();
  CHECK(text->empty());
  CHECK(text->capacity() >= 10'000);
  CHECK(text->data() == memory);
}

TEST_CASE("a pool knows the longest text that came back") {
  TextPool pool;
  CHECK(pool.longest() == 0);
  for (const std::size_t size : {100U, 300U, 200U}) pool.take()->assign(size, 'x');
  const auto still_used = pool.take();
  still_used->assign(400, 'x');
  CHECK(pool.longest() == 300);
}

TEST_CASE("a pool keeps few spare texts") {
  TextPool pool;
  std::vector<std::shared_ptr<std::string>> texts(TextPool::kMaxSpare + 2);
  for (auto& text : texts) {
    text = pool.take();
    text->assign(10'000, 'x');
  }
  texts.clear();
  std::size_t with_room = 0;
  for (std::size_t i = 0; i < TextPool::kMaxSpare + 2; ++i) {
    texts.push_back(pool.take());
    if (texts.back()->capacity() >= 10'000) ++with_room;
  }
  CHECK(with_room == TextPool::kMaxSpare);
}

TEST_CASE("a text may outlive its pool") {
  std::shared_ptr<std::string> text;
  {
    TextPool pool;
    text = pool.take();
  }
  text->assign("here");
  CHECK(*text == "here");
}

}  // namespace
}  // namespace rdmadiag::exporters
