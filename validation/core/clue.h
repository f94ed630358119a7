// What a failure looks like, as far as its usual cause depends on it.
#pragma once

namespace assay::validation {

struct Clue {
  enum class Kind {
    other,
    exception,   ///< of the kernel, which says its own cause
    death,       ///< of the kernel's process
    other_bits,  ///< two results that must be equal are not
    number,      ///< an element is not near what was expected
  };

  Kind kind = Kind::other;
  double expected = 0, got = 0;  ///< of a number

  static Clue number(double expected, double got) { return {Kind::number, expected, got}; }
};

}  // namespace assay::validation
