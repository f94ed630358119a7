// Follows the floating-point operations of checked dispatches: where NaN and infinities come from, and digits go.
//
// Beside each value stands its exact one, computed in double precision from the exact values of the operands: Courbet
// (2021), NSan. An operation's rounding and slopes are kept too (tape.h), so that the error of an output can be traced
// back to the lines that made it: losses.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/check/dispatch_info.h"
#include "metal/emulator/check/report_log.h"
#include "metal/emulator/numerics/follower.h"
#include "metal/emulator/numerics/tape.h"

namespace assay::metal::emulator {

/// An operation of one thread, with the numbers that it had.
struct NumericEvent {
  std::uint32_t site = 0, code = 0;
  Operands operands;
  double result = 0, exact = 0;  ///< `exact`: from the operands' exact values
  Place thread;
};

/// Where a NaN or an infinity was made of numbers that were none.
struct Origin {
  NumericEvent event;
  std::uint32_t cause = 0;      ///< of a NaN made of infinities: their origin; 0: they were given
  std::uint32_t underflow = 0;  ///< the first entry of an operand that is 0 and should not be
  std::uint64_t count = 0;
  std::string reached = {};  ///< "buffer(1) `y` + 20", where an output descends from it
  double became = 0;         ///< what stands there
};

/// The events at a place of the source.
struct SiteStatistics {
  SourcePosition position;
  double worst_growth = 1;  ///< by what an operation multiplied the relative error of its operands
  NumericEvent worst;
  std::uint64_t absorbed = 0;  ///< sums that equal one of their terms
  NumericEvent absorption;
  std::uint64_t decided = 0;  ///< comparisons that the exact values would have decided otherwise
  NumericEvent decision;
};

class Numerics final : public Follower {
 public:
  explicit Numerics(const abi::Position* (*position)()) : position_(position) {}

  std::uint32_t operation(const abi::Site* site, std::uint32_t code, std::uint32_t count, const double* operands,
                          double result, const std::uint32_t* entries) override;
  std::uint32_t load(const void* address, double value) override;
  void compare(const abi::Site* site, std::uint32_t predicate, double left, double right, std::uint32_t left_entry,
               std::uint32_t right_entry) override;

  const Tape& tape() const { return tape_; }
  const std::vector<SiteStatistics>& sites() const { return sites_; }
  std::uint32_t first_site() const { return first_site_; }  ///< of the dispatch
  std::vector<Origin>& origins() { return origins_; }

  void begin_dispatch() override {
    numbers_.clear();
    origin_numbers_.clear();
    recent_.fill({});
    first_site_ = static_cast<std::uint32_t>(sites_.size());
  }

 private:
  template <std::uint32_t count>
  std::uint32_t follow(const abi::Site* site, std::uint32_t code, const double* operands, double result,
                       const std::uint32_t* entries);
  template <std::uint32_t count>
  Operands note_operands(TapeEntry& entry, Operation what, const Operands& values, double result,
                         const std::uint32_t* entries) const;
  std::uint32_t operation_without_number(std::uint32_t site, std::uint32_t code, std::uint32_t count,
                                         const Operands& operands, double result, const std::uint32_t* entries);
  Operands exact_values(std::uint32_t count, const Operands& operands, const std::uint32_t* entries) const;
  void note_growth(const NumericEvent& event, std::uint32_t count, const std::uint32_t* entries);
  void note_absorption(const NumericEvent& event);
  std::uint32_t site_number(const abi::Site* site);
  std::uint32_t origin_number(std::uint32_t site, std::uint32_t code, const Operands& operands, double result,
                              double exact);
  Place thread() const;

  const abi::Position* (*position_)();
  Tape tape_;
  std::vector<SiteStatistics> sites_ = {SiteStatistics()};
  std::map<const abi::Site*, std::uint32_t> numbers_;
  struct Recent {
    const abi::Site* site = nullptr;
    std::uint32_t number = 0;
  };
  std::array<Recent, 256> recent_{};  ///< by address
  std::uint32_t first_site_ = 1;
  std::vector<Origin> origins_ = {Origin()};
  std::map<std::uint64_t, std::uint32_t> origin_numbers_;  ///< by site and code
};

}  // namespace assay::metal::emulator
