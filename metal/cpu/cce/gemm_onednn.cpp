// The products of gemm.h by oneDNN: a primitive for each shape, or, for float32, a function. The function is a few
// hundredths faster, but takes its buffers from malloc at each call, and glibc before 2.38 does not use freed aligned
// memory again, so that each thread comes to hold up to 5 MiB: sparing products take the primitive.
#include <map>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <tuple>
#include <vector>

#include "metal/cpu/cce/gemm.h"
#include "metal/cpu/memory.h"

extern "C" {  // omp.h belongs to a compiler; clang-tidy may have none
int omp_get_max_threads();
void omp_set_num_threads(int threads);
}

namespace assay::metal::cpu {

namespace {

using dnnl::memory;
using Strides = memory::dims;

/// C [M, N] (+)= A [M, K] B [K, N], with strides; A and B have this type.
struct Shape {
  memory::data_type type;
  std::int64_t M, N, K;
  Strides a, b, c;
  bool onward;

  auto key() const { return std::tie(type, M, N, K, a, b, c, onward); }
  bool operator<(const Shape& other) const { return key() < other.key(); }
};

dnnl::engine& processor() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// While it exists, oneDNN computes in the calling thread alone.
class OneThread {
 public:
  OneThread() { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(threads_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int threads_ = omp_get_max_threads();
};

struct Product {
  dnnl::matmul::primitive_desc desc;
  dnnl::matmul matmul;

  explicit Product(const Shape& s)
      : desc({{{s.M, s.K}, s.type, s.a}, {{s.K, s.N}, s.type, s.b}, {{s.M, s.N}, memory::data_type::f32, s.c}},
             attributes(s.onward), processor()),
        matmul(desc) {}

  /// The caller has the scratchpad, so that all threads may share a product.
  static dnnl::primitive_attr attributes(bool onward) {
    dnnl::primitive_attr attributes;
    dnnl::post_ops after;
    if (onward) after.append_sum(1.0F);
    attributes.set_post_ops(after);
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
  }
};

/// The product of this shape, made once for all threads. A call has few shapes; of many, all are discarded.
std::shared_ptr<const Product> product(const Shape& shape) {
  static std::mutex mutex;
  static std::map<Shape, std::shared_ptr<const Product>> products;
  const std::scoped_lock lock(mutex);
  if (products.size() > 64) products.clear();
  auto& found = products[shape];
  if (found == nullptr) found = std::make_shared<const Product>(shape);
  return found;
}

/// Memory of the calling thread, valid until its next call.
void* scratchpad(std::size_t bytes) {
  thread_local AlignedMemory<std::byte> scratchpad;
  thread_local std::size_t size = 0;
  if (bytes > size) scratchpad = AlignedMemory<std::byte>(static_cast<std::int64_t>(size = bytes));
  return scratchpad.data();
}

void multiply(const Shape& shape, const void* a, const void* b, float* c) {
  thread_local dnnl::stream stream(processor());
  const std::shared_ptr<const Product> product = cpu::product(shape);
  const auto of = [](const memory::desc& desc, const void* data) {
    return memory(desc, processor(), const_cast<void*>(data));  // NOLINT: oneDNN has one type for what it reads
  };
  const memory::desc own = product->desc.scratchpad_desc();
  const OneThread one;
  product->matmul.execute(stream, {{DNNL_ARG_SRC, of(product->desc.src_desc(), a)},
                                   {DNNL_ARG_WEIGHTS, of(product->desc.weights_desc(), b)},
                                   {DNNL_ARG_DST, of(product->desc.dst_desc(), c)},
                                   {DNNL_ARG_SCRATCHPAD, of(own, scratchpad(own.get_size()))}});
  stream.wait();
}

bool processor_has(dnnl::cpu_isa isa) {
  const auto needed = static_cast<unsigned>(isa);  // a bit for each extension
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & needed) == needed;
}

/// The transpose of G [R, C], valid until the thread's next call.
const BFloat16* transposed(Matrix<const BFloat16> G, std::int64_t R, std::int64_t C) {
  thread_local std::vector<BFloat16> result;
  result.resize(static_cast<std::size_t>(R * C));
  for (std::int64_t r = 0; r < R; ++r)
    for (std::int64_t c = 0; c < C; ++c) result[static_cast<std::size_t>(c * R + r)] = G.data[r * G.stride + c];
  return result.data();
}

}  // namespace

bool multiplies_bfloat16() {
  static const bool can = processor_has(dnnl::cpu_isa::avx512_core_bf16);
  return can;
}

bool multiply_by_onednn(const FloatProduct& p, Matrix<const float> A, Matrix<const float> B, Matrix<float> C) {
#ifdef __x86_64__
  static const bool has_loops = processor_has(dnnl::cpu_isa::avx2);
#else
  constexpr bool has_loops = false;
#endif
  static const bool has_primitives = processor_has(dnnl::cpu_isa::avx512_core);
  if (!has_loops) return false;
  if (!p.sparing || !has_primitives) {
    const OneThread one;
    return dnnl_sgemm(p.a, p.b, p.M, p.N, p.K, 1.0F, A.data, A.stride, B.data, B.stride, p.beta, C.data, C.stride) ==
           dnnl_success;
  }
  const auto strides = [](char op, std::int64_t stride) { return op == 'T' ? Strides{1, stride} : Strides{stride, 1}; };
  multiply({memory::data_type::f32,
            p.M,
            p.N,
            p.K,
            strides(p.a, A.stride),
            strides(p.b, B.stride),
            {C.stride, 1},
            p.beta != 0.0F},
           A.data, B.data, C.data);
  return true;
}

void gemm_logits(GemmSizes s, Matrix<const BFloat16> hidden, Matrix<const BFloat16> weight, Matrix<float> logits) {
  multiply({memory::data_type::bf16, s.R, s.C, s.H, {hidden.stride, 1}, {1, weight.stride}, {logits.stride, 1}, false},
           hidden.data, weight.data, logits.data);
}

void gemm_dhidden(GemmSizes s, Matrix<const BFloat16> G, Matrix<const BFloat16> weight, Matrix<float> dhidden,
                  Sum sum) {
  multiply({memory::data_type::bf16,
            s.R,
            s.H,
            s.C,
            {G.stride, 1},
            {weight.stride, 1},
            {dhidden.stride, 1},
            sum == Sum::onward},
           G.data, weight.data, dhidden.data);
}

void gemm_dweight(GemmSizes s, Matrix<const BFloat16> G, Matrix<const BFloat16> hidden, Matrix<float> dweight,
                  Sum sum) {
  // oneDNN 2.6 does not use AMX for a transposed factor of at most 64 rows. Below 24 rows AMX is no faster.
  const bool copies = s.R >= 24 && s.R <= 64;
  const Strides strides = copies ? Strides{s.R, 1} : Strides{1, G.stride};
  multiply(
      {memory::data_type::bf16, s.C, s.H, s.R, strides, {hidden.stride, 1}, {dweight.stride, 1}, sum == Sum::onward},
      copies ? transposed(G, s.R, s.C) : G.data, hidden.data, dweight.data);
}

}  // namespace assay::metal::cpu
