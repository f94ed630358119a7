/* assay_formula.h - kernels that take arrays by name: for an operation that is a formula (docs/formula.md), and for
 * CTC, cross-entropy and the SVD in the place of the structs of assay_plugin.h (docs/plugins.md).
 *
 * A shared library that exports assay_forward, assay_backward or both is a plug-in:
 *
 *   int assay_forward(const char* operation, const assay_array* inputs, size_t input_count, const assay_array* outputs,
 *                     size_t output_count, char* message, size_t message_size) {
 *     const assay_array* x = assay_array_called("x", inputs, input_count);
 *     my_softmax(x->shape[0], x->shape[1], x->data, outputs[0].data);
 *     return ASSAY_OK;
 *   }
 *
 *   print(assay.gate(softmax, "./libmine.so"))
 */
#ifndef ASSAY_FORMULA_H
#define ASSAY_FORMULA_H

/* NOLINTBEGIN: C's headers and names */
#include <string.h>

#include "assay_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of indices, positions, flags and codes of small formats, which may be packed, beside assay_dtype. */
enum assay_array_dtype {
  ASSAY_INT64 = 16,
  ASSAY_BOOL = 17,
  ASSAY_INT32 = 18,
  ASSAY_INT8 = 19,
  ASSAY_UINT8 = 20,
  ASSAY_UINT32 = 21
};

/* Inputs must not be written. Arrays are row-major and contiguous, but for inputs of a library that is judged with
   strides=True. An option of a built-in operation has no axes. */
typedef struct assay_array {
  const char* name; /* that of the formula's argument, or upstream0, ...; of a result output0, ... or gradient_x of x */
  const int64_t* shape; /* the sizes of the axes, then their strides */
  int32_t dimensions;
  int32_t dtype; /* assay_dtype or assay_array_dtype; a flag is a byte */
  void* data;    /* NULL: no elements */
} assay_array;

/* Returns an assay_status (assay_plugin.h). Computes the outputs, or of the backward pass the gradients of the inputs
   that are numbers, in the order of the formula's arguments, for the upstream gradients. */
typedef int assay_formula_run(const char* operation, const assay_array* inputs, size_t input_count,
                              const assay_array* outputs, size_t output_count, char* message, size_t message_size);

extern ASSAY_EXPORT assay_formula_run assay_forward;
extern ASSAY_EXPORT assay_formula_run assay_backward;

/* The array of this name, or NULL. */
static inline const assay_array* assay_array_called(const char* name, const assay_array* arrays, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (strcmp(arrays[i].name, name) == 0) return &arrays[i];
  return NULL;
}

/* How many elements lie between neighbours along the axis; may be 0 or less. */
static inline int64_t assay_stride(const assay_array* array, int32_t axis) {
  return array->shape[array->dimensions + axis];
}

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif
