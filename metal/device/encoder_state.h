// The state of an encoder: its first error, and whether it has ended or become stale.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "metal/device/encoder_epoch.h"
#include "metal/device/result.h"

namespace assay::metal {

class EncoderState {
 public:
  /// The epoch must outlive the encoder.
  explicit EncoderState(const EncoderEpoch& epoch) : epoch_(epoch), began_(epoch.count(thread_)) {}

  /// Whether `call` may go on; if not, keeps the error.
  bool is_usable(const char* call) {
    if (error_) return false;
    if (is_ended_)
      refuse({Error::Kind::stale_encoder, fmt::format("{}: the encoder has ended", call)});
    else if (epoch_.count(thread_) != began_)
      refuse({Error::Kind::stale_encoder,
              fmt::format("{}: the encoder is stale, for {} was called after it was fetched; allocate and copy first, "
                          "then fetch the encoder and only encode",
                          call, epoch_.last(thread_))});
    return !error_;
  }

  /// Keeps the error if a rule was broken. Returns whether none was.
  bool accepts(const Result<void>& rule) {
    if (!rule) refuse(rule.error());
    return rule.has_value();
  }

  void refuse(Error error) {
    if (!error_) error_ = std::move(error);
  }

  /// Errors: order, for a second call; else the first error that was kept.
  Result<void> end() {
    if (is_ended_) return metal::error(Error::Kind::order, "endEncoding has already been called");
    const bool is_fine = is_usable("endEncoding");
    is_ended_ = true;
    if (!is_fine) return tl::unexpected(*error_);
    return {};
  }

  bool is_ended() const { return is_ended_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  const EncoderEpoch& epoch_;
  std::thread::id thread_ = std::this_thread::get_id();  ///< that fetched the encoder
  std::uint64_t began_;
  bool is_ended_ = false;
  std::optional<Error> error_;
};

}  // namespace assay::metal
