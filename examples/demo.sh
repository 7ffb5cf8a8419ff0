#!/bin/sh
# Shows parmac at work, from nothing to plots: installs what is missing, builds the example, learns
# hash codes from the SIFT descriptors in examples/data on MPI ranks, prints how well they find
# nearest neighbours beside plain PCA codes, and draws the run.
#
#     examples/demo.sh [OUTPUT_FOLDER]      (demo_output unless given)
#
# RANKS (4) and BITS (64) may be set in the environment.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
output=${1:-demo_output}
build="$here/../build/demo"

sh "$here/../cmake/install_packages.sh"
. "$here/../cmake/mpi_environment.sh"
mkdir -p "$build"
cmake -S "$here/.." -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPARMAC_TESTS=OFF > "$build/configure.log" 2>&1 ||
  { cat "$build/configure.log" >&2; exit 1; }
cmake --build "$build" --target binary_autoencoder

mkdir -p "$output"
mpirun -n "${RANKS:-4}" "$build/examples/binary_autoencoder" \
  --learn "$here/data/sift_learn.bvecs" --base "$here/data/sift_base.bvecs" \
  --query "$here/data/sift_query.bvecs" --groundtruth "$here/data/sift_groundtruth.ivecs" \
  --bits "${BITS:-64}" --epochs 2 --output "$output"

gnuplot -e "folder='$output'" "$here/plots.gnuplot"
echo "plots: $output/objective.png $output/recall.png"
