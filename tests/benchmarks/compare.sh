#!/bin/sh
# Measures parmac against what it should keep up with, and prints a line for each comparison: name,
# ratio, bar, ok or short, and the figures behind it. Exits with 1 when any falls short.
#
#     compare.sh             the whole table
#     compare.sh --quick     the lines that have a bar, in less than 5 minutes
#     compare.sh --headline  one more: an iteration over 100,000,000 points against 1,000,000
#
# Installs what it compares with (Debian). DATA names a folder of SIFT files, such as
# examples/data, which is used unless set; BUILD the build folder; SCRATCH one for the points that
# are made of those (132 MB, and 13.2 GB for --headline), which is the build folder unless set.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$here/build/benchmarks}
data=${DATA:-$here/examples/data}
scratch=${SCRATCH:-$build}
mode=${1:-}
case $mode in "" | --quick | --headline) ;; *)
  echo "compare.sh: what is $mode? There are --quick and --headline" >&2
  exit 2 ;;
esac

sh "$here/cmake/install_packages.sh"
for package in libbenchmark-dev libfaiss-dev liblinear-dev libopenblas-dev; do
  dpkg -s "$package" > /dev/null 2>&1 && continue
  echo "compare.sh: installing $package"
  apt-get install -y -qq --no-install-recommends "$package" > /dev/null
done
. "$here/cmake/mpi_environment.sh"
cmake -S "$here" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPARMAC_BENCHMARKS=ON \
  -DPARMAC_TESTS=OFF -DPARMAC_EXAMPLES=ON -DPARMAC_BENCHMARK_DATA="$data" > /dev/null
cmake --build "$build" --target comparisons resample_points > /dev/null

bin=$build/tests/benchmarks
status=0
printf '%-58s %8s  %-9s %-5s %s\n' "what" "ratio" "bar" "" "figures"
run() { "$@" || status=1; }

# compare_size FEW MANY: on a file made for it, which is removed afterwards.
compare_size() {
  large=$scratch/resampled.bvecs
  trap 'rm -f "$large"' EXIT
  "$build/examples/resample_points" "$data/sift_learn.bvecs" "$large" --points "$2" --threads 2 \
    > /dev/null
  run mpirun -n 2 "$bin/compare_size" "$large" "$1" "$2"
  rm -f "$large"
}

if [ "$mode" = --headline ]; then
  compare_size 1000000 100000000
  exit $status
fi
run "$bin/compare_w_step" $mode
run "$bin/compare_z_step" $mode
run "$bin/compare_svm" $mode
for threads in 1 2; do
  export OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads
  run "$bin/compare_retrieval" $mode
done
export OMP_NUM_THREADS=1
# Not bound to a core each, which two threads of one rank would have to share.
run mpirun --bind-to none -n 2 "$bin/compare_ring" $mode
compare_size 100000 1000000
if [ -z "$mode" ]; then
  for ranks in 1 2 4 8 16 32 64 128; do
    run mpirun -n "$ranks" "$bin/compare_ring" --costs
  done
fi
exit $status
