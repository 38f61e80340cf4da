#pragma once

/// Random numbers as pure functions of (seed, stream name, step, index). There is no state, so no result
/// depends on the number of threads, on the order of evaluation or on how a sweep is divided.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace rarefact {

/// One block of Philox4x64 with 10 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC
/// 2011): four 64-bit words, a bijection of the counter for every key.
std::array<std::uint64_t, 4> philox_block(const std::array<std::uint64_t, 4>& counter,
                                          const std::array<std::uint64_t, 2>& key);

/// The seeds of the random streams of a run, by what they draw.
struct Seeds {
  std::uint64_t answers = 1, target = 1, data = 1;
};

/// Independent numbers for every (step, index). Streams of different name or seed are independent of each
/// other, and so are the numbers of different kinds of one stream. The key is (seed, FNV-1a hash of the
/// name), the counter (index / 4, step, 0 for uniform or 1 for normal numbers, 0); index mod 4 is the word of
/// the block. Quadruples have the counter (index, step, 2, 0), bits (number, step, 3 + kind, 0).
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  /// Uniform on the open interval (0, 1): the midpoints of 2^52 equal cells, so neither 0 nor 1.
  double uniform(std::uint64_t step, std::uint64_t index) const;

  /// Four independent uniform numbers, for draws with several decisions.
  std::array<double, 4> quadruple(std::uint64_t step, std::uint64_t index) const;

  /// 256 independent fair bits for every (step, number) of each kind.
  std::array<std::uint64_t, 4> bits(std::uint64_t step, std::uint64_t number, std::uint64_t kind) const;

  /// Standard normal, by the Box-Muller transform of two 64-bit words; tails reach 9.4 standard deviations.
  double normal(std::uint64_t step, std::uint64_t index) const;

  /// values[i] = normal(step, i), at a quarter of the cost.
  void fill_normal(std::uint64_t step, std::span<double> values) const;

 private:
  std::array<std::uint64_t, 4> block(std::uint64_t step, std::uint64_t number, std::uint64_t kind) const;
  std::array<std::uint64_t, 2> key_;
};

}  // namespace rarefact
