#include "reference/number/prime_chain.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace assay::reference {
namespace {

bool is_prime(std::uint64_t p) {
  const Prime prime = Prime::of(p);
  for (std::uint64_t base = 2; base < 40; ++base) {  // decides below 2^64 (Sorenson 2016)
    std::uint64_t x = prime.power(prime.from_number(base), (p - 1) / 2);
    if (x != prime.one && x != prime.p - prime.one) return false;  // p = 3 mod 4: one squaring
  }
  return true;
}

TEST(PrimeChain, IsOfPrimesWhoseSquaresTwoGenerates) {
  for (const Chain& one : chains) {
    EXPECT_EQ(one.primes[0].p, 2 * one.primes[1].p + 1);
    EXPECT_EQ(one.primes[1].p, 2 * one.primes[2].p + 1);
    for (const Prime& prime : one.primes) {
      EXPECT_TRUE(is_prime(prime.p) && prime.p % 4 == 3);
      EXPECT_EQ(prime.number(prime.from_number(12345)), 12345);
    }
    EXPECT_EQ(one.primes[0].power(one.primes[0].from_number(2), one.primes[1].p), one.primes[0].one);
    EXPECT_EQ(one.primes[1].power(one.primes[1].from_number(2), one.primes[2].p), one.primes[1].one);
  }
}

}  // namespace
}  // namespace assay::reference
