// Follows the floating-point operations of checked dispatches in the algebraic twin of real arithmetic
// (reference/number/residue.h): beside each value stands its residue, which no rounding, order of summation or rescaling
// changes, and which a missing term or a wrong operand does.
//
// Comparisons, indices, maxima and signs are those of the run. A value without an entry is the number that it is: an
// input, a whole number, or what is computed from them exactly. Literals stand for the numbers that they were rounded
// from (residue_constant.h). A value made of bits is the number whose mantissa they have, if the bits of one number alone
// with this mantissa were looked at; else its trait `assumed` goes with all that is made of it, and nothing that has the
// trait is called wrong.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>

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
  reference::Residue residue_at(const void* address, double value) {
    return residue_of(doubted(load(address, value), value), value);
  }

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
  /// The entry, or that of an assumed value if the exact number `value` may have been chosen by rounding.
  std::uint32_t doubted(std::uint32_t entry, double value) const;
  std::uint32_t constant(double value);
  std::uint32_t from_bits(double value);
  void take_bits(std::uint32_t entry, double value);

  /// The values with the same mantissa whose bits were looked at.
  struct Taken {
    std::uint32_t entry = 0;  ///< of the last one
    double value = 0;
    bool is_one_number = true;  ///< but for powers of two and signs, they stand for one
  };

  TapeOf<AlgebraEntry> tape_;                        ///< the first two entries are `unknown` and `replaced`
  std::map<std::uintptr_t, std::uintptr_t> copies_;  ///< the end of each by its beginning
  std::unordered_map<double, std::uint32_t> constants_;
  std::unordered_map<double, Taken> taken_;  ///< by the mantissa
  std::unordered_set<double> tied_;          ///< exact numbers that a comparison may have chosen because of a rounding
};

}  // namespace assay::metal::emulator
