// A logit is the product of a row of hidden (a token) and a row of weight (an entry). A threadgroup owns rows of one of
// the two matrices and loops over the rows of the other. dhidden and dweight are the same computation with the two
// roles exchanged.
#pragma once

#include "logit.h"

namespace assay {
namespace cce {

/// The inputs of all kernels.
template <class D>
struct Tables {
  device const Token* tokens;
  device const D *hidden, *weight, *bias;
  device const LogSum* lse;
};

template <class D>
struct TokenRows {
  using Element = D;
  device const Token* tokens;
  device const D* hidden;

  device const D* at(uint i, Shape shape) const { return row_of(hidden, tokens[i].row, shape); }
};

template <class D>
struct EntryRows {
  using Element = D;
  device const D* weight;

  device const D* at(uint v, Shape shape) const { return row_of(weight, v, shape); }
};

/// dL/dx of entry v for token i, without the token's weight, and the factor that makes it dL/dz.
struct Share {
  float of_x, factor;
};

template <class D>
Share share_of(Tables<D> tables, uint i, uint v, float product, Shape shape) {
  const Token token = tables.tokens[i];
  const Logit logit = logit_of(product, tables.bias, v, shape);
  return {coefficient(logit.x, v == token.target, tables.lse[i], shape), token.weight * logit.slope};
}

/// The threadgroup owns tokens first .. first + count - 1, and loops over the vocabulary.
template <class D>
struct OfTokens {
  Tables<D> tables;

  TokenRows<D> owned() const { return {tables.tokens, tables.hidden}; }
  EntryRows<D> others() const { return {tables.weight}; }
  uint other_count(Shape shape) const { return shape.V; }
  Share share(uint own, uint other, float product, Shape shape) const {
    return share_of(tables, own, other, product, shape);
  }
};

/// The threadgroup owns entries first .. first + count - 1, and loops over the tokens.
template <class D>
struct OfEntries {
  Tables<D> tables;

  EntryRows<D> owned() const { return {tables.weight}; }
  TokenRows<D> others() const { return {tables.tokens, tables.hidden}; }
  uint other_count(Shape shape) const { return shape.M; }
  Share share(uint own, uint other, float product, Shape shape) const {
    return share_of(tables, other, own, product, shape);
  }
};

}  // namespace cce
}  // namespace assay
