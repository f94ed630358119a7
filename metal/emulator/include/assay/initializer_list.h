// std::initializer_list as the compiler requires it, so that vectors can tell {a, b} from (a, b).
#pragma once

namespace std {

template <class T>
class initializer_list {
 public:
  constexpr initializer_list() = default;
  __attribute__((no_sanitize("thread"))) constexpr unsigned long size() const { return size_; }
  __attribute__((no_sanitize("thread"))) constexpr const T* begin() const { return begin_; }
  __attribute__((no_sanitize("thread"))) constexpr const T* end() const { return begin_ + size_; }

 private:
  const T* begin_ = nullptr;
  unsigned long size_ = 0;
};

}  // namespace std
