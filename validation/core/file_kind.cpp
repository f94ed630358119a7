#include "validation/core/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "validation/core/npy_header.h"

namespace assay::validation {
namespace {

struct Signature {
  std::string_view bytes;
  std::string_view kind;
  std::string_view reader;  ///< what reads it in Python
};

constexpr std::string_view of_pytorch = "torch.load(path)";
constexpr Signature signatures[] = {
    {"\x93NUMPY", "a .npy file, which holds one array", "numpy.load(path)"},
    {"\x80\x02", "a pickle, which older PyTorch saves", of_pytorch},
    {"\x80\x03", "a pickle", "pickle.load(file)"},
    {"\x80\x04", "a pickle", "pickle.load(file)"},
    {"\x80\x05", "a pickle", "pickle.load(file)"},
    {"\x89HDF\r\n\x1a\n", "an HDF5 file", "h5py.File(path)[name]"},
    {"PAR1", "a Parquet file", "pandas.read_parquet(path)"},
    {"\x1f\x8b", "a file packed by gzip", "what is unpacked"},
    {"MATLAB 5.0", "a MATLAB file", "scipy.io.loadmat(path)[name]"},
};

constexpr std::string_view local_file = "PK\x03\x04";
constexpr std::size_t local_header = 30;  ///< bytes before the name of a zip archive's entry

std::string described(std::string_view kind, std::string_view reader) {
  return fmt::format("{}; to make an .npz of it: numpy.savez('batch.npz', NAME={}, ...)", kind, reader);
}

/// The name of the first entry of a zip archive.
std::string_view first_entry(std::string_view beginning) {
  if (beginning.size() < local_header) return "";
  return beginning.substr(local_header, load_unsigned(beginning.substr(26, 2), false));
}

/// Eight bytes with the length of a JSON object, and the object.
bool is_safetensors(std::string_view beginning) {
  return beginning.size() > 8 && beginning[8] == '{' && load_unsigned(beginning.substr(0, 8), false) < 100'000'000;
}

bool is_text(std::string_view beginning) {
  return std::ranges::none_of(beginning, [](char c) {
    return (c >= 0 && c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f') || c == '\x7f';
  });
}

}  // namespace

std::string not_npz(std::string_view beginning) {
  if (beginning.empty()) return "an empty file";
  if (beginning.starts_with(local_file))
    return first_entry(beginning).ends_with("/data.pkl") ? described("a file of PyTorch", of_pytorch) : "";
  if (beginning.starts_with("PK\x05\x06")) return "";  // an archive of nothing
  for (const Signature& one : signatures)
    if (beginning.starts_with(one.bytes)) return described(one.kind, one.reader);
  if (is_safetensors(beginning)) return described("a .safetensors file", "safetensors.numpy.load_file(path)[name]");
  if (is_text(beginning)) return described("a text", "numpy.loadtxt(path, delimiter=',')");
  return "no zip archive, which an .npz is; numpy.savez('batch.npz', NAME=array, ...) writes one";
}

void require_npz(const std::filesystem::path& path) {
  constexpr std::size_t most = 512;
  std::error_code unused;
  const auto status = std::filesystem::status(path, unused);
  std::string kind;
  if (std::filesystem::is_directory(status)) {
    kind = "a folder";
  } else if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    kind = "no file, but a device or a pipe";
  } else {
    std::ifstream file(path, std::ios::binary);
    if (!file) return;
    std::string beginning(most, '\0');
    file.read(beginning.data(), static_cast<std::streamsize>(most));
    beginning.resize(static_cast<std::size_t>(file.gcount()));
    kind = not_npz(beginning);
  }
  if (!kind.empty())
    throw std::invalid_argument(fmt::format("expected an .npz, which holds arrays by name; this is {}", kind));
}

}  // namespace assay::validation
