// Which entry of the tape the value at an address has: a number for each two bytes, in pages made when first written.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace assay::metal::emulator {

class EntryPlaces {
 public:
  static constexpr std::uint64_t granule = 2, page_bits = 12;

  std::uint32_t at(std::uintptr_t address) const {
    const Page* const page = find(address >> page_bits);
    return page ? page->of[index(address)] : 0;
  }
  /// The value at `address` has `entry`; what else was in its `bytes` has none.
  void set(std::uintptr_t address, std::uint32_t entry, std::uint64_t bytes) {
    put(address, entry);
    for (std::uint64_t n = granule; n < bytes; n += granule) put(address + n, 0);
  }
  void move(std::uintptr_t to, std::uintptr_t from, std::uint64_t bytes) {
    if (to == from) return;
    for (std::uint64_t n = 0; n < bytes; n += granule) {
      const std::uint64_t at_n = to < from ? n : (bytes - 1) / granule * granule - n;
      put(to + at_n, at(from + at_n));
    }
  }
  /// Calls visit(address, entry) for all in [begin, begin + bytes), in rising order.
  template <class Visit>
  void for_each(std::uintptr_t begin, std::uint64_t bytes, const Visit& visit) const {
    for (std::uintptr_t number = begin >> page_bits; number <= (begin + bytes - 1) >> page_bits; ++number) {
      const Page* const page = find(number);
      for (std::size_t n = 0; page && n < page->of.size(); ++n)
        if (const std::uintptr_t address = (number << page_bits) + n * granule;
            page->of[n] != 0 && address >= begin && address < begin + bytes)
          visit(address, page->of[n]);
    }
  }

 private:
  struct Page {
    std::array<std::uint32_t, (std::size_t{1} << page_bits) / granule> of{};
  };
  struct Recent {
    std::uintptr_t number = 0;
    Page* page = nullptr;  ///< null: there is none
  };

  static std::size_t index(std::uintptr_t address) {
    return (address & ((std::uintptr_t{1} << page_bits) - 1)) / granule;
  }
  Page* find(std::uintptr_t number) const {
    Recent& recent = recent_[number % recent_.size()];
    if (recent.number == number) return recent.page;
    const auto found = pages_.find(number);
    recent = {number, found == pages_.end() ? nullptr : found->second.get()};
    return recent.page;
  }
  void put(std::uintptr_t address, std::uint32_t entry) {
    Page* page = find(address >> page_bits);
    if (!page) {
      if (entry == 0) return;
      const std::uintptr_t number = address >> page_bits;
      page = (pages_[number] = std::make_unique<Page>()).get();
      recent_[number % recent_.size()] = {number, page};
    }
    page->of[index(address)] = entry;
  }

  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;
  mutable std::array<Recent, 1024> recent_{};
};

}  // namespace assay::metal::emulator
