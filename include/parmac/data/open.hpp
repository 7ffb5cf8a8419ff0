// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parmac/data/idx.hpp"
#include "parmac/data/input_file.hpp"
#include "parmac/data/layout_hint.hpp"
#include "parmac/data/npy.hpp"
#include "parmac/data/partition.hpp"
#include "parmac/data/points.hpp"
#include "parmac/data/vecs.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// The layouts of files of points.
enum class FileKind { fvecs, bvecs, npy, idx };

/// What a file of points holds.
struct FileShape {
  Index points = 0;    ///< N
  Index dimension = 0; ///< D
  Scalar scalar = Scalar::float32;
  FileKind kind = FileKind::fvecs;
};

/// Which points of a file to open: all, part `part` of `parts`, or a share of one's own.
struct OpenOptions {
  Index part = 0;                   ///< 0 <= part < parts; the number of this machine, say.
  Index parts = 1;                  ///< How many parts the points are cut into.
  std::vector<double> weights = {}; ///< The relative sizes of the parts; empty: all equal.
  std::optional<Share> share = {};  ///< Instead of a part.
  Inflate inflate = {};             ///< For gzip files: parmac::gunzip of parmac/data/gzip.hpp.
};

/// The part that the options ask for, of N points.
/// @throws ConfigError when the options contradict each other or are out of range.
[[nodiscard]] inline Share share_of(Index N, const OpenOptions& options) {
  if (options.share) {
    require(options.part == 0 && options.parts == 1 && options.weights.empty(),
            "a share of the points was asked for and also a part of them; only one can be given");
    return *options.share;
  }
  if (options.weights.empty()) return even_share(N, options.parts, options.part);
  require(static_cast<Index>(options.weights.size()) == options.parts, "there are ",
          options.weights.size(), " weights for ", options.parts, " parts");
  return weighted_share(N, options.weights, options.part);
}

namespace detail {

/// The layout by the name of the file. @throws DataError when the name is none of the known ones.
[[nodiscard]] inline FileKind kind_of(const InputFile& file) {
  std::string name = file.path().filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const auto extension = std::filesystem::path(name).extension();
  if (extension == ".fvecs") return FileKind::fvecs;
  if (extension == ".bvecs") return FileKind::bvecs;
  if (extension == ".npy") return FileKind::npy;
  if (extension == ".idx" || name.ends_with("-ubyte")) return FileKind::idx;
  constexpr std::string_view known =
      "; files of points end in .fvecs, .bvecs, .npy, .idx or -ubyte, with .gz behind it when they "
      "are compressed";
  if (extension == ".ivecs")
    throw DataError(text(file.name(), " holds whole numbers, which read_ivecs reads", known));
  throw DataError(
      text(file.name(), " has a name that tells no layout", known, layout_hint(file, "")));
}

[[nodiscard]] inline FileShape describe(const InputFile& file) {
  const FileKind kind = kind_of(file);
  const auto vecs = [&](VecsKind layout, Scalar scalar) {
    const VecsShape shape = vecs_shape(file, layout);
    return FileShape{shape.points, shape.dimension, scalar, kind};
  };
  const auto array = [&](const PointLayout& layout) {
    return FileShape{layout.points, layout.dimension, layout.scalar, kind};
  };
  switch (kind) {
  case FileKind::fvecs:
    return vecs(fvecs, Scalar::float32);
  case FileKind::bvecs:
    return vecs(bvecs, Scalar::uint8);
  case FileKind::npy:
    return array(npy_layout(file));
  case FileKind::idx:
    break;
  }
  return array(idx_layout(file));
}

} // namespace detail

/// The shape of a file of points, by its name, header and size; the points are not read.
/// @throws DataError when the file cannot be read, its name is none of the known ones (.fvecs,
/// .bvecs, .npy, .idx, -ubyte, each also with .gz), or it is not as its layout says.
[[nodiscard]] inline FileShape describe(const std::filesystem::path& path,
                                        const Inflate& inflate = {}) {
  return detail::describe(InputFile(path, inflate));
}

/// Opens the points of a file, or a part of them, such as a machine's:
/// `open_points("learn.bvecs", {.part = ring.rank(), .parts = ring.size()})`. Only the bytes of
/// that part are mapped (plain files) or kept (gzip files); see `open_npy` for arrays in Fortran
/// order.
/// @throws DataError as `describe`, and when a record of the part has another dimension.
/// @throws ConfigError, ShapeError when there is no such part.
[[nodiscard]] inline Points open_points(const std::filesystem::path& path,
                                        const OpenOptions& options = {}) {
  const InputFile file(path, options.inflate);
  const FileShape shape = detail::describe(file);
  const Share share = share_of(shape.points, options);
  switch (shape.kind) {
  case FileKind::fvecs:
    return open_fvecs(file, share);
  case FileKind::bvecs:
    return open_bvecs(file, share);
  case FileKind::npy:
    return open_npy(file, share);
  case FileKind::idx:
    break;
  }
  return open_idx(file, share);
}

} // namespace parmac
