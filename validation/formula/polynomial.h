// An element as a polynomial in what a kernel reads or has from functions: polynomials.h.
#pragma once

#include "validation/formula/element_errors.h"

namespace assay::validation::formula {

/// An element as a polynomial, and as the sum of terms that kernels may add in any order.
struct Polynomial {
  double unit = infinity;    ///< a power of two that divides all monomials
  double reach = 0;          ///< the sum of their sizes
  double rounded = 0;        ///< the bound where a kernel rounds on its road, though the formula's own may be exact
  double carried = 0;        ///< the errors of the terms
  double total = 0;          ///< the sum of their sizes
  double count = 0;          ///< their number, in additions of the computing type
  double terms = 0;          ///< those that a kernel may multiply by a factor before it adds them: each may underflow
  double steps = 0;          ///< of a linear recurrence h = a h + x, which kernels may scan by blocks
  bool is_read = true;       ///< nothing was added or multiplied for it
  bool has_product = false;  ///< of two values of the case: other roads round it, though the formula's may be exact
};

/// The polynomial of an element that is read.
Polynomial polynomial_of(Operand x);

/// What is added to it takes it as one term, off by `error`.
void make_term(Polynomial& polynomial, double value, double error);

/// Adds the terms of one sum to those of another.
void add_terms(Polynomial& sum, const Polynomial& more);

void add_monomials(Polynomial& sum, const Polynomial& term);
Polynomial product_of_monomials(const Polynomial& a, const Polynomial& b);

/// Whether every order of computing it in the format is exact.
bool is_exact(const Polynomial& polynomial, const NumberFormat& format);

}  // namespace assay::validation::formula
