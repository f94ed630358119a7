// The plane rotation that makes two vectors orthogonal (Hestenes 1958, "Inversion of matrices by biorthogonalization
// and related results"), by the formulas of Rutishauser 1966, "The Jacobi method for real symmetric matrices".
//
//   x' = cos(theta) x - sin(theta) y,   y' = sin(theta) x + cos(theta) y,   x' . y' = 0
//
// Let ||x|| >= ||y|| > 0, r = ||y|| / ||x||, q = cos(x, y), t = tan(theta). x' . y' = 0 is a quadratic equation of t,
// whose root of |t| <= 1, the one for which Jacobi's method converges, is
//
//   t = -sign(q) r / steepness,   steepness = w + sqrt(w^2 + r^2),   w = (1 - r) (1 + r) / (2 |q|)
//
// Nothing in it is squared but r, and nothing cancels but 1 - r, of exact operands. The norms become
//
//   ||x'||^2 = ||x||^2 (1 + r^2 |q| / steepness),   ||y'||^2 = ||y||^2 (1 - |q| / steepness)
//
// The rotation is applied as three shears, with tan(theta / 2) = t / (1 + sqrt(1 + t^2)): in place, with one rounding
// per element and shear (the lifting steps of Daubechies and Sweldens 1998, "Factoring wavelet transforms into lifting
// steps"):
//
//   x -= tan(theta / 2) y,   y += sin(theta) x,   x -= tan(theta / 2) y
//
// A small y thus gets errors of the size of y, u (||y|| + |sin(theta)| ||x||), however large x is: that is why Jacobi's
// small singular values are accurate (Demmel and Veselic 1992, "Jacobi's method is more accurate than QR").
#pragma once

#include <span>

#include "reference/number/traits.h"
#include "reference/svd/vectors.h"

namespace assay::reference {

template <class Number>
struct Rotation {
  Number sine;
  Number minus_half_tangent;  ///< -tan(theta / 2)
  Number ratio;               ///< r
  Number share;               ///< |q| / steepness, in [0, 1]: what y^2 loses

  Number cosine() const { return Number(1) + sine * minus_half_tangent; }
};

/// The rotation that makes x, the longer, and y orthogonal; q = cos(x, y) is not 0.
template <class Number>
Rotation<Number> orthogonalizing_rotation(const Number& norm_x, const Number& norm_y, const Number& q) {
  using Traits = NumberTraits<Number>;
  const Number one(1), size = magnitude(q), r = norm_y / norm_x;
  const Number w = (one - r) * (one + r) / (size + size);
  const Number steepness = w + hypotenuse(w, r);
  const Number t = q > Number(0) ? Number(-(r / steepness)) : Number(r / steepness);
  const Number secant = Traits::sqrt(one + t * t);
  return {t / secant, -(t / (one + secant)), r, size / steepness};
}

/// Rotates x, y [n] in place.
template <class Number>
void rotate(std::span<Number> x, std::span<Number> y, const Rotation<Number>& rotation) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    add_product(x[k], rotation.minus_half_tangent, y[k]);
    add_product(y[k], rotation.sine, x[k]);
    add_product(x[k], rotation.minus_half_tangent, y[k]);
  }
}

}  // namespace assay::reference
