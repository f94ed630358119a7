// What a checked run keeps beside each floating-point value: the number of an entry of its own, 0 for a value that needs
// none. Entries go where instrument.h sends them; what an entry is, and what an operation makes of its operands' entries,
// the two followers say: numerics.h, which keeps exact values, and algebra.h, which keeps residues.
#pragma once

#include <cstdint>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/numerics/entry_places.h"

namespace assay::metal::emulator {

class Follower {
 public:
  Follower() = default;
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  virtual ~Follower() = default;

  // NumericsServices.
  virtual std::uint32_t operation(const abi::Site* site, std::uint32_t code, std::uint32_t count,
                                  const double* operands, double result, const std::uint32_t* entries) = 0;
  virtual std::uint32_t load(const void* address, double value) = 0;
  virtual void compare(const abi::Site* site, std::uint32_t predicate, double left, double right,
                       std::uint32_t left_entry, std::uint32_t right_entry) = 0;
  virtual void store(const void* address, std::uint32_t entry, std::uint32_t bytes) {
    places_.set(reinterpret_cast<std::uintptr_t>(address), entry, bytes);
  }
  void move(const void* to, const void* from, std::uint64_t bytes) {
    places_.move(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from), bytes);
  }

  const EntryPlaces& places() const { return places_; }

  /// Sites are told apart by their addresses, and another shader may be at these now.
  virtual void begin_dispatch() {}

 protected:
  void forget_places() { places_ = {}; }

 private:
  EntryPlaces places_;
};

}  // namespace assay::metal::emulator
