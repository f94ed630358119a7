// Objects of which at most one lives at a time, and which kernels find without being given them.
#pragma once

namespace assay::validation {

template <class Self>
class Living {
 public:
  Living(const Living&) = delete;  // NOLINT(bugprone-crtp-constructor-accessibility): nobody can call it
  Living& operator=(const Living&) = delete;

  /// The one that lives; null if there is none.
  static Self* current() { return living; }

 private:
  friend Self;  // which alone may inherit from it
  Living() { living = static_cast<Self*>(this); }
  ~Living() { living = nullptr; }

  inline static Self* living = nullptr;
};

}  // namespace assay::validation
