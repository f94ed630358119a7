// intcheck: integer operations whose result Metal leaves undefined. Their thread ends in front of them.
#include <fmt/format.h>

#include <string>

#include "metal/emulator/dispatch/events.h"
#include "metal/emulator/dispatch/group_runner.h"

namespace assay::metal::emulator {

namespace {

/// "-7 of int"
std::string to_text(const abi::IntegerOperand& operand) {
  const char* const type = operand.bits == 8    ? "char"
                           : operand.bits == 16 ? "short"
                           : operand.bits == 32 ? "int"
                                                : "long";
  const std::uint32_t unused = operand.bits < 64 ? 64 - operand.bits : 0;
  const std::uint64_t top = operand.value << unused;
  if (operand.is_signed != 0) return fmt::format("{} of {}", static_cast<std::int64_t>(top) >> unused, type);
  return fmt::format("{} of u{}", top >> unused, type);
}

}  // namespace

std::string undefined_in_words(abi::IntegerOperation operation) {
  return operation == abi::IntegerOperation::division
             ? "an integer division or remainder by zero"
             : "a shift by a negative amount, or by the width of its left operand or more";
}

std::string operands_in_words(abi::IntegerOperation operation, const abi::IntegerOperand& left,
                              const abi::IntegerOperand& right) {
  return fmt::format("{}, {} by {}", to_text(left),
                     operation == abi::IntegerOperation::division ? "divided" : "shifted", to_text(right));
}

void GroupRunner::undefined_integer(abi::IntegerOperation operation, const abi::IntegerOperand& left,
                                    const abi::IntegerOperand& right, const void* pc) {
  const bool is_division = operation == abi::IntegerOperation::division;
  end_by_integer_fault(undefined_in_words(operation), operands_in_words(operation, left, right),
                       is_division ? "compare the divisor with 0 before it"
                                   : fmt::format("keep the amount between 0 and {}", left.bits - 1),
                       pc);
}

void GroupRunner::division_overflow(const void* pc) {
  end_by_integer_fault("a signed division whose quotient does not fit", "the least value of a type, divided by -1",
                       "compare the divisor with -1 before it",
                       static_cast<const std::byte*>(pc) + 1);  // the instruction itself, and not that before it
}

void GroupRunner::end_by_integer_fault(const std::string& message, const std::string& operands,
                                       const std::string& advice, const void* pc) {
  log_.add({Check::intcheck, pc, 0}, [&] {
    Finding found =
        finding(Check::intcheck, message + "; its thread ends there", event_of(scheduler_.current(), operands, {}));
    found.report.advice = advice;
    const CodePlace place = place_in(launch_->info, pc);
    found.object = place.object;
    found.offset = place.offset;
    return found;
  });
  end_by_fault(fmt::format("kernel {}: {}", launch_->info.kernel, message));
}

}  // namespace assay::metal::emulator
