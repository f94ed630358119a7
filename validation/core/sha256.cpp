#include "validation/core/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace assay::validation {
namespace {

constexpr std::size_t block_size = 64;  // bytes

using Words = std::array<std::uint32_t, 8>;

/// The first `Count` primes.
template <std::size_t Count>
constexpr std::array<std::uint32_t, Count> primes() {
  std::array<std::uint32_t, Count> all{};
  std::size_t found = 0;
  for (std::uint32_t n = 2; found < Count; ++n) {
    bool is_prime = true;
    for (std::size_t i = 0; i < found; ++i) is_prime = is_prime && n % all[i] != 0;
    if (is_prime) all[found++] = n;
  }
  return all;
}

/// The first 32 bits behind the point of each prime's root.
template <std::size_t Count, class Root>
std::array<std::uint32_t, Count> fractions(const Root& root) {
  std::array<std::uint32_t, Count> all{};
  for (std::size_t i = 0; i < Count; ++i) {
    const double exact = root(static_cast<double>(primes<Count>()[i]));
    all[i] = static_cast<std::uint32_t>((exact - std::floor(exact)) * 0x1p32);
  }
  return all;
}

std::array<std::uint32_t, block_size> expanded(std::string_view block) {
  std::array<std::uint32_t, block_size> w{};
  for (std::size_t i = 0; i < block_size; ++i) w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(block[i]);
  for (std::size_t i = 16; i < w.size(); ++i) {
    const std::uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  return w;
}

void take_block(Words& state, std::string_view block) {
  static const auto constants = fractions<block_size>([](double x) { return std::cbrt(x); });
  const auto w = expanded(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::uint32_t first =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const Words added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

/// What follows the whole blocks: the bytes that are left, a one, zeros, and the number of bits.
std::string last_blocks(std::string_view bytes) {
  std::string last(bytes.substr(bytes.size() - bytes.size() % block_size));
  last += '\x80';
  while (last.size() % block_size != block_size - 8) last += '\0';
  const std::uint64_t bits = 8 * std::uint64_t{bytes.size()};
  for (int shift = 56; shift >= 0; shift -= 8) last += static_cast<char>(bits >> shift & 0xff);
  return last;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  Words state = fractions<8>([](double x) { return std::sqrt(x); });
  const auto take = [&](std::string_view some) {
    for (; some.size() >= block_size; some.remove_prefix(block_size)) take_block(state, some.substr(0, block_size));
  };
  take(bytes);
  take(last_blocks(bytes));
  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace assay::validation
