// The components of vectors by their names: v.x, or v.r.
//
// Metal knows no address of a component, and no reference to one. Here components are members, since optimisers and
// line tables know members best. For lint v.x is a property and v[n] a value: clang then refuses both. It refuses
// assignments to v[n] too, which lint does not report.
#pragma once

#if ASSAY_COMPONENTS_ARE_VALUES

#define ASSAY_COMPONENT(n, name, other) \
  constexpr T get_##name() const {      \
    return elements[n];                 \
  }                                     \
  T get_##name() const volatile {       \
    return elements[n];                 \
  }                                     \
  constexpr void put_##name(T value) {  \
    elements[n] = value;                \
  }                                     \
  void put_##name(T value) volatile {   \
    elements[n] = value;                \
  }                                     \
  __declspec(property(get = get_##name, put = put_##name)) T name, other;

#define ASSAY_COMPONENTS_OF_2 \
  T elements[2];              \
  ASSAY_COMPONENT(0, x, r)    \
  ASSAY_COMPONENT(1, y, g)
#define ASSAY_COMPONENTS_OF_3 \
  T elements[3];              \
  ASSAY_COMPONENT(0, x, r)    \
  ASSAY_COMPONENT(1, y, g)    \
  ASSAY_COMPONENT(2, z, b)
#define ASSAY_COMPONENTS_OF_4 \
  T elements[4];              \
  ASSAY_COMPONENT(0, x, r)    \
  ASSAY_COMPONENT(1, y, g)    \
  ASSAY_COMPONENT(2, z, b)    \
  ASSAY_COMPONENT(3, w, a)

/// The initialisers of a constructor.
#define ASSAY_SET_2(x_, y_) \
  elements {                \
    x_, y_                  \
  }
#define ASSAY_SET_3(x_, y_, z_) \
  elements {                    \
    x_, y_, z_                  \
  }
#define ASSAY_SET_4(x_, y_, z_, w_) \
  elements {                        \
    x_, y_, z_, w_                  \
  }

/// Component n, a reference.
#define ASSAY_COMPONENT_AT(n, by_name) elements[n]

#define ASSAY_SUBSCRIPTS(N)              \
  constexpr T operator[](long n) const { \
    return at(n);                        \
  }

#else

#define ASSAY_COMPONENTS_OF_2 \
  union {                     \
    struct {                  \
      T x, y;                 \
    };                        \
    struct {                  \
      T r, g;                 \
    };                        \
    T elements[2];            \
  };
#define ASSAY_COMPONENTS_OF_3 \
  union {                     \
    struct {                  \
      T x, y, z;              \
    };                        \
    struct {                  \
      T r, g, b;              \
    };                        \
    T elements[3];            \
  };
#define ASSAY_COMPONENTS_OF_4 \
  union {                     \
    struct {                  \
      T x, y, z, w;           \
    };                        \
    struct {                  \
      T r, g, b, a;           \
    };                        \
    T elements[4];            \
  };

#define ASSAY_SET_2(x_, y_) x(x_), y(y_)
#define ASSAY_SET_3(x_, y_, z_) x(x_), y(y_), z(z_)
#define ASSAY_SET_4(x_, y_, z_, w_) x(x_), y(y_), z(z_), w(w_)

#define ASSAY_COMPONENT_AT(n, by_name) __builtin_is_constant_evaluated() ? (by_name) : elements[n]

#define ASSAY_SUBSCRIPTS(N)                                    \
  ASSAY_IN_PLACE constexpr T& operator[](long n) {             \
    ASSAY_EXPECT_INDEX(N, n, "components of a vector");        \
    return at(n);                                              \
  }                                                            \
  ASSAY_IN_PLACE constexpr const T& operator[](long n) const { \
    ASSAY_EXPECT_INDEX(N, n, "components of a vector");        \
    return at(n);                                              \
  }

#endif
