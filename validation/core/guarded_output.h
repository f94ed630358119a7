// An output of a kernel, poisoned beforehand and guarded on both sides.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace assay::validation {

/// Descriptions of the out-of-bounds writes of a run and of the elements that the run left unwritten.
struct Footprint {
  std::vector<std::string> out_of_bounds_writes;
  std::vector<std::string> unwritten;
};

/// What every run of a kernel records beside its results.
struct BasicRun : Footprint {
  bool refused = false;  ///< the kernel threw std::invalid_argument
  std::string message;   ///< the text of the exception
};

/// A kernel refused a problem that is valid.
class RefusedValidProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class Real>
class GuardedOutput {
 public:
  GuardedOutput(std::string name, std::size_t size) : name_(std::move(name)), size_(size) {
    memory_.assign(size + 2 * guard, std::bit_cast<Real>(poison));
    std::fill_n(memory_.begin(), guard, std::bit_cast<Real>(sentinel));
    std::fill_n(memory_.rbegin(), guard, std::bit_cast<Real>(sentinel));
  }

  std::span<Real> view() { return {memory_.data() + guard, size_}; }

  void inspect(Footprint& footprint) {
    for (std::size_t i = 0; i < guard; ++i) {
      if (bits(memory_[i]) != sentinel)
        footprint.out_of_bounds_writes.push_back(fmt::format("wrote {}[-{}], before its beginning", name_, guard - i));
      if (bits(memory_[guard + size_ + i]) != sentinel)
        footprint.out_of_bounds_writes.push_back(
            fmt::format("wrote {}[{}], past its {} elements", name_, size_ + i, size_));
    }
    for (std::size_t i = 0; i < size_; ++i)
      if (bits(view()[i]) == poison) footprint.unwritten.push_back(fmt::format("{}[{}] was not written", name_, i));
  }

 private:
  using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint16_t>>;

  static Bits bits(const Real& value) { return std::bit_cast<Bits>(value); }

  static constexpr std::size_t guard = 64;
  // Quiet NaNs in every type with that many bits, with payloads that no arithmetic produces.
  static constexpr auto poison = static_cast<Bits>(0x7FFDA5A57FE5A5A5U >> (sizeof(Real) == 2 ? 16U : 0U));
  static constexpr auto sentinel = static_cast<Bits>(0x7FFDEAD57FEDEAD5U >> (sizeof(Real) == 2 ? 16U : 0U));

  std::string name_;
  std::size_t size_;
  std::vector<Real> memory_;
};

}  // namespace assay::validation
