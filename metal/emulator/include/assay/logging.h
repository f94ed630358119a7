// os_log: Metal Shading Language Specification, section 6.19. A message goes to the Services, with its values. A format
// that does not fit the values is an error at the line of the call, if the compiler knows the format.
#pragma once

#include <assay/compute.h>

namespace metal {
namespace assay_detail {

#if !ASSAY_LINT && !ASSAY_NVPTX
namespace log = assay::metal::emulator::abi;

template <class T>
ASSAY_OWN log::LogValue log_value(T value) {
  using E = typename Shape<T>::Element;
  log::LogValue result;
  result.bytes = sizeof(E);
  result.components = Shape<T>::size;
  if constexpr (is_floating_point_v<E>) {
    result.kind = log::LogKind::floating;
    if constexpr (Shape<T>::is_vector)
      for (int n = 0; n < Shape<T>::size; ++n) result.numbers[n] = double(value[n]);
    else
      result.numbers[0] = double(value);
  } else if constexpr (Shape<T>::is_vector) {
    for (int n = 0; n < Shape<T>::size; ++n) result.integers[n] = long(value[n]);
  } else if constexpr (is_pointer_v<T>) {
    result.integers[0] = reinterpret_cast<long>(value);
  } else {
    result.integers[0] = long(value);
  }
  return result;
}
ASSAY_OWN log::LogValue log_value(const char* text) {
  log::LogValue result;
  result.kind = log::LogKind::text;
  result.text = text;
  return result;
}

template <class... Parts>
ASSAY_OWN void send_message(const char* format, Site site, Parts... parts) {
  const log::LogValue values[sizeof...(parts) + 1] = {log_value(parts)...};
  services->log(format, values, sizeof...(parts), &site);
}
#else
template <class... Parts>
void send_message(const char*, Site, Parts...) {}
#endif

/// A value of a message: 'd' an integer, 'f' floating-point, 's' text, 'p' another pointer; how many bytes and components.
struct LogType {
  char kind;
  int bytes, components;
};
template <class T>
constexpr LogType log_type() {
  using E = typename Shape<T>::Element;
  if constexpr (is_pointer_v<T>)
    return {is_same_v<remove_cv_t<remove_pointer_t<T>>, char> ? 's' : 'p', 8, 1};
  else
    return {is_floating_point_v<E> ? 'f' : 'd', int(sizeof(E)), Shape<T>::size};
}

constexpr bool is_one_of(char c, const char* all) {
  for (; *all != 0; ++all)
    if (*all == c) return true;
  return false;
}

enum LogFault { log_fits, log_has_too_few_values, log_has_too_many_values, log_has_another_type, log_is_unknown };

/// Compares the conversions of a format, as in C with v2, v3 and v4 for vectors, with the types of the values.
constexpr LogFault log_fault(const char* format, const LogType* types, int count) {
  int next = 0;
  for (; *format != 0; ++format) {
    if (*format != '%' || *++format == '%') continue;
    while (is_one_of(*format, "-+ #0123456789.")) ++format;
    int components = 1;
    if (*format == 'v') {
      components = format[1] - '0';
      if (components < 2 || components > 4) return log_is_unknown;
      format += 2;
    }
    int longs = 0;
    for (; is_one_of(*format, "hl"); ++format) longs += *format == 'l' && (format[-1] != 'h');
    const char kind = is_one_of(*format, "diouxXc")    ? 'd'
                      : is_one_of(*format, "fFeEgGaA") ? 'f'
                      : *format == 's'                 ? 's'
                      : *format == 'p'                 ? 'p'
                                                       : 0;
    if (kind == 0) return log_is_unknown;
    if (next == count) return log_has_too_few_values;
    const LogType type = types[next++];
    if (type.kind != kind || type.components != components) return log_has_another_type;
    if (kind == 'd' && (type.bytes == 8) != (longs > 0)) return log_has_another_type;
  }
  return next == count ? log_fits : log_has_too_many_values;
}
template <class... Parts>
constexpr LogFault log_fault_of(const char* format) {
  const LogType types[] = {log_type<Parts>()..., LogType{}};
  return log_fault(format, types, sizeof...(Parts));
}

}  // namespace assay_detail

#define ASSAY_LOG_FAULT(fault, message) \
  __attribute__((                       \
      diagnose_if(assay_detail::log_fault_of<Parts...>(format.text) == assay_detail::fault, message, "error")))

struct os_log {
  constexpr os_log(const char*, const char*) {}
  /// A format, and the place of the call.
  struct Format {
    const char* text;
    assay_detail::Site site;
    constexpr Format(const char* t, assay_detail::Site s = assay_detail::here("os_log")) : text(t), site(s) {}
  };
#define ASSAY_LOG(name)                                                                                              \
  template <class... Parts>                                                                                          \
  ASSAY_OWN void name(Format format, Parts... parts)                                                                 \
      const ASSAY_LOG_FAULT(log_has_too_few_values, "the format of the message asks for more values than there are") \
          ASSAY_LOG_FAULT(log_has_too_many_values, "there are more values than the format of the message asks for")  \
              ASSAY_LOG_FAULT(log_has_another_type, "the format of the message asks for a value of another type")    \
                  ASSAY_LOG_FAULT(log_is_unknown, "the format of the message has an unknown conversion") {           \
    assay_detail::send_message(format.text, format.site, parts...);                                                  \
  }
  ASSAY_LOG(log)
  ASSAY_LOG(log_debug)
  ASSAY_LOG(log_info)
  ASSAY_LOG(log_error)
  ASSAY_LOG(log_fault)
#undef ASSAY_LOG
};
#undef ASSAY_LOG_FAULT

inline constexpr os_log os_log_default("", "");

}  // namespace metal
