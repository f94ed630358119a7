// Follows the floating-point operations of checked dispatches in the algebraic twin of real arithmetic
// (reference/number/residue.h): beside each value stands its residue, which no rounding, order of summation or rescaling
// changes, and which a missing term or a wrong operand does.
//
// Comparisons, indices, maxima and signs are those of the run. A value without an entry is the number that it is: an
// input, a whole number, or what is computed from them exactly. Literals stand for the numbers that they were rounded
// from (residue_constant.h). A value made of bits is the number that they give; if it is not known how it came about, its
// trait `assumed` goes with all that is made of it, and nothing that has the trait is called wrong.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "metal/emulator/numerics/follower.h"
#include "metal/emulator/numerics/tape.h"
#include "reference/number/residue.h"

namespace assay::metal::emulator {

/// A value of the run, and its residue.
struct AlgebraEntry {
  reference::Residue residue;
  double value;
};

class Algebra : public Follower {
 public:
  /// The entry of a value that no followed operation made. It is that of what came after the tape was full, too.
  static constexpr std::uint32_t unknown = 1;

  Algebra() { clear(); }

  /// Forgets all values. Residues of another chain of primes may follow.
  void clear();

  std::uint32_t operation(const abi::Site* site, std::uint32_t code, std::uint32_t count, const double* operands,
                          double result, const std::uint32_t* entries) override;
  std::uint32_t load(const void* address, double value) override;
  /// Numbers that are equal in the run and not in the ring: a maximum and a minimum of them may be the same one, and a
  /// test for equality may hold. What is made of them is not called wrong.
  void compare(const abi::Site* site, std::uint32_t predicate, double left, double right, std::uint32_t left_entry,
               std::uint32_t right_entry) override;

  /// The residue of the number `value` that stands at the address.
  reference::Residue residue_at(const void* address, double value) { return residue_of(load(address, value), value); }

  /// The number `value` at the address has this residue.
  void give(const void* address, double value, const reference::Residue& residue, std::uint32_t bytes) {
    store(address, add(residue, value), bytes);
  }

  /// As move, to the host's memory.
  void copied(const void* to, const void* from, std::uint64_t bytes);
  /// Whether what stands at the host's address was copied there.
  bool is_copied(const void* address) const;

 protected:
  /// The entry of a value that is assumed, as of what stands where another value had been stored.
  static constexpr std::uint32_t replaced = 2;

  std::uint32_t add(const reference::Residue& residue, double value);

 private:
  reference::Residue residue_of(std::uint32_t entry, double value) const;
  std::uint32_t constant(double value);
  std::uint32_t from_bits(double value);
  std::uint32_t of_power_of_two(double value);

  struct Taken {
    double value = 0;
    std::uint32_t entry = 0;
    bool is_used = false;  ///< of a power of two: a number was made of it
  };

  TapeOf<AlgebraEntry> tape_;                        ///< the first two entries are `unknown` and `replaced`
  std::map<std::uintptr_t, std::uintptr_t> copies_;  ///< the end of each by its beginning
  std::unordered_map<double, std::uint32_t> constants_;
  std::array<Taken, 8> taken_;  ///< the values whose bits were looked at last
  std::size_t next_taken_ = 0;
};

}  // namespace assay::metal::emulator
