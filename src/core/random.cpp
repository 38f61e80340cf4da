#include "core/random.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rarefact {

namespace {

constexpr std::uint64_t uniform_kind = 0, normal_kind = 1, quadruple_kind = 2, first_bits_kind = 3;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// The midpoint of one of 2^52 cells of (0, 1).
double uniform_of(std::uint64_t word) {
  return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
}

/// Two independent standard normals. The radius uses all 64 bits near 0, where they decide the tail: rounding
/// keeps small words exact, and a word that rounds to 1 gives radius 0.
std::array<double, 2> box_muller(std::uint64_t radius_word, std::uint64_t angle_word) {
  const double u = (static_cast<double>(radius_word) + 0.5) * 0x1p-64;
  const double radius = std::sqrt(-2 * std::log(u));
  const double angle = 2 * std::numbers::pi * (static_cast<double>(angle_word >> 11) * 0x1p-53);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace

std::array<std::uint64_t, 4> philox_block(const std::array<std::uint64_t, 4>& counter,
                                          const std::array<std::uint64_t, 2>& key) {
  const r123::Philox4x64::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x64::key_type k = {{key[0], key[1]}};
  const r123::Philox4x64::ctr_type words = r123::Philox4x64()(c, k);
  return {words[0], words[1], words[2], words[3]};
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : key_{seed, fnv1a(name)} {}

std::array<std::uint64_t, 4> RandomStream::block(std::uint64_t step, std::uint64_t number,
                                                 std::uint64_t kind) const {
  return philox_block({number, step, kind, 0}, key_);
}

double RandomStream::uniform(std::uint64_t step, std::uint64_t index) const {
  return uniform_of(block(step, index / 4, uniform_kind)[index % 4]);
}

std::array<double, 4> RandomStream::quadruple(std::uint64_t step, std::uint64_t index) const {
  const auto words = block(step, index, quadruple_kind);
  return {uniform_of(words[0]), uniform_of(words[1]), uniform_of(words[2]), uniform_of(words[3])};
}

std::array<std::uint64_t, 4> RandomStream::bits(std::uint64_t step, std::uint64_t number,
                                                std::uint64_t kind) const {
  return block(step, number, first_bits_kind + kind);
}

double RandomStream::normal(std::uint64_t step, std::uint64_t index) const {
  const auto words = block(step, index / 4, normal_kind);
  const std::size_t pair = index % 4 / 2 * 2;
  return box_muller(words[pair], words[pair + 1])[index % 2];
}

void RandomStream::fill_normal(std::uint64_t step, std::span<double> values) const {
  for (std::size_t i = 0; i < values.size(); i += 4) {
    const auto words = block(step, i / 4, normal_kind);
    const auto first = box_muller(words[0], words[1]), second = box_muller(words[2], words[3]);
    const std::array<double, 4> lanes = {first[0], first[1], second[0], second[1]};
    std::copy_n(lanes.begin(), std::min<std::size_t>(4, values.size() - i), values.begin() + i);
  }
}

}  // namespace rarefact
