// The requirements of the CTC recursions on a weight W: a commutative semiring with W(0), W(1), += and *=.
//
//   weight             sum over alignments gives
//   any number type    their probability           (float, double, Rational, BigFloat, Ball, Extended, LogNumber)
//   Integer            how many there are          (exact.h)
//   Boolean            whether there is one        (here)
//   BestPath           the most probable one       (reference/ctc/best_path.h)
#pragma once

namespace assay::reference {

/// The semiring ({false, true}, or, and).
class Boolean {
 public:
  Boolean() = default;
  explicit Boolean(bool value) : value_(value) {}
  explicit Boolean(int value) : value_(value != 0) {}

  Boolean& operator+=(Boolean x) { return value_ = value_ || x.value_, *this; }
  Boolean& operator*=(Boolean x) { return value_ = value_ && x.value_, *this; }
  explicit operator bool() const { return value_; }
  bool operator==(const Boolean&) const = default;

 private:
  bool value_ = false;
};

}  // namespace assay::reference
