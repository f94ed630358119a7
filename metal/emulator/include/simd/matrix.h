#include <assay/simd.h>
