#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "rarefact/error.hpp"

using namespace rarefact;

/// The sum of part(begin, end) over the tiles of for_tiles, added in the order of the tiles.
static double sum_tiles(const Workers& workers, Index count, Index tile,
                        const std::function<double(Index, Index)>& part) {
  std::vector<double> parts(static_cast<std::size_t>(count / tile + (count % tile != 0 ? 1 : 0)));
  workers.for_tiles(count, tile, [&](Index begin, Index end) { parts[begin / tile] = part(begin, end); });
  double sum = 0;
  for (const double x : parts) sum += x;
  return sum;
}

TEST_CASE("tiles cover every index once with boundaries that do not depend on the number of threads") {
  const Index count = GENERATE(0, 1, 63, 64, 65, 1000);
  std::vector<std::vector<Index>> ends;
  for (const int threads : {1, 2, 7}) {
    std::vector<Index> end_of(static_cast<std::size_t>(count), -1);
    std::atomic<Index> visited = 0;
    Workers(threads).for_tiles(count, 64, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i, ++visited) end_of[i] = end;
    });
    CHECK(visited == count);
    ends.push_back(end_of);
  }
  for (Index i = 0; i < count; ++i) CHECK(ends[0][i] == std::min(count, (i / 64 + 1) * 64));
  CHECK(ends[0] == ends[1]);
  CHECK(ends[0] == ends[2]);
}

TEST_CASE("a sum over tiles has the same bytes on 1, 2 and 7 threads and differs from another tiling") {
  // Terms of mixed sign and size: any change in the order of the additions changes the last bits.
  const auto part = [](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) sum += std::sin(double(i)) * std::exp(double(i % 40));
    return sum;
  };
  const double serial = sum_tiles(Workers(1), 100001, 128, part);
  for (const int threads : {2, 7}) {
    const Workers workers(threads);
    for (int repeat = 0; repeat < 5; ++repeat) {
      const double sum = sum_tiles(workers, 100001, 128, part);
      CHECK(std::memcmp(&sum, &serial, sizeof sum) == 0);
    }
  }
  CHECK(sum_tiles(Workers(2), 100001, 100, part) != serial);  // the check above could have failed
  CHECK(sum_tiles(Workers(2), 0, 100, part) == 0);
}

TEST_CASE("an exception in a tile reaches the caller and leaves the workers usable") {
  for (const int threads : {1, 2, 7}) {
    const Workers workers(threads);
    const auto fail = [](Index begin, Index) {
      if (begin == 300) throw std::domain_error("tile 300");
    };
    CHECK_THROWS_AS(workers.for_tiles(1000, 10, fail), std::domain_error);
    CHECK(sum_tiles(workers, 1000, 10, [](Index begin, Index end) { return double(end - begin); }) == 1000);
  }
}

TEST_CASE("loops nest with the bytes of a serial run") {
  const auto run = [](const Workers& workers) {
    std::vector<double> sums(20);
    workers.for_tiles(20, 1, [&](Index outer, Index) {
      sums[outer] = sum_tiles(workers, 3000, 7, [&](Index begin, Index end) {
        return double((outer + 1) * (begin + end)) * 0.1;
      });
    });
    return sums;
  };
  const std::vector<double> serial = run(Workers(1));
  double expected = 0;
  for (Index begin = 0; begin < 3000; begin += 7) {
    expected += double(3 * (begin + std::min<Index>(3000, begin + 7))) * 0.1;
  }
  CHECK(serial[2] == expected);
  CHECK(run(Workers(2)) == serial);
  CHECK(run(Workers(7)) == serial);
}

TEST_CASE("a thread that waits for inner tiles never starts a second outer tile") {
  // Tiles a helper takes sleep, so that their owner runs out of its own and waits. Threads look for the
  // oldest work first, which is why this goes wrong without isolation only where there are three cores or
  // more.
  const Workers workers(7);
  std::atomic<bool> interleaved = false;
  workers.for_tiles(50, 1, [&](Index, Index) {
    static thread_local int depth = 0;
    if (++depth != 1) interleaved = true;
    const auto owner = std::this_thread::get_id();
    workers.for_tiles(8, 1, [owner](Index, Index) {
      const bool helper = std::this_thread::get_id() != owner;
      std::this_thread::sleep_for(std::chrono::microseconds(helper ? 300 : 30));
    });
    --depth;
  });
  CHECK_FALSE(interleaved);
}

TEST_CASE("fewer than one thread is refused") {
  CHECK_THROWS_AS(Workers(0), InputError);
  CHECK(Workers(7).threads() == 7);
}
