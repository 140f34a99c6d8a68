#include "base/thread_end.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/scratch.h"

namespace steno {
namespace {

struct Noted {
  std::vector<int>* ended;
  int number;
};

void note_end(void* object) {
  const auto* noted = static_cast<Noted*>(object);
  noted->ended->push_back(noted->number);
}

TEST(AtThreadEnd, TheLastComesFirst) {
  std::vector<int> ended;
  Noted first{&ended, 1};
  Noted second{&ended, 2};
  std::thread([&] {
    at_thread_end(note_end, &first);
    at_thread_end(note_end, &second);
    EXPECT_TRUE(ended.empty());
  }).join();
  EXPECT_EQ(ended, (std::vector<int>{2, 1}));
}

TEST(AtThreadEnd, OfThatThreadAlone) {
  std::vector<int> ended;
  Noted ours{&ended, 1};
  std::thread([&] { std::thread([&] { at_thread_end(note_end, &ours); }).join(); }).join();
  EXPECT_EQ(ended.size(), 1u);
  std::thread([] {}).join();
  EXPECT_EQ(ended.size(), 1u);
}

// An object that is made while a thread ends is destroyed too: the key's destructors run again.
TEST(AtThreadEnd, WhatComesMeanwhileEndsToo) {
  std::vector<int> ended;
  Noted late{&ended, 1};
  std::thread([&] { at_thread_end([](void* object) { at_thread_end(note_end, object); }, &late); }).join();
  EXPECT_EQ(ended, std::vector<int>{1});
}

TEST(OfThread, IsOneOfEachKindAndThread) {
  struct A {
    int value = 1;
  };
  struct B : A {};
  A& ours = of_thread<A>();
  ours.value = 2;
  EXPECT_EQ(&of_thread<A>(), &ours);
  EXPECT_NE(static_cast<A*>(&of_thread<B>()), &ours);
  std::thread([&] { EXPECT_EQ(of_thread<A>().value, 1); }).join();
  EXPECT_EQ(of_thread<A>().value, 2);
}

TEST(Scratch, OfAThreadIsItsOwn) {
  Scratch* const ours = &Scratch::of_thread();
  EXPECT_EQ(ours, &Scratch::of_thread());
  Scratch* others = nullptr;
  std::thread([&] { others = &Scratch::of_thread(); }).join();
  EXPECT_NE(ours, others);
}

}  // namespace
}  // namespace steno
