#!/bin/sh
# Measures parmac against what it should keep up with, and prints a line for each comparison: name,
# ratio, bar, ok or short, and the figures behind it. Exits with 1 when any falls short.
#
#     compare.sh             the whole table
#     compare.sh --quick     the lines that have a bar, in less than 5 minutes
#
# Installs what it compares with (Debian). DATA names a folder of SIFT files, such as
# examples/data, which is used unless set; BUILD the build folder.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$here/build/benchmarks}
data=${DATA:-$here/examples/data}
mode=${1:-}
case $mode in "" | --quick) ;; *)
  echo "compare.sh: what is $mode? There is --quick" >&2
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
  -DPARMAC_TESTS=OFF -DPARMAC_BENCHMARK_DATA="$data" > /dev/null
cmake --build "$build" > /dev/null

bin=$build/tests/benchmarks
status=0
printf '%-58s %8s  %-9s %-5s %s\n' "what" "ratio" "bar" "" "figures"
run() { "$@" ${mode:+$mode} || status=1; }
run "$bin/compare_w_step"
run "$bin/compare_z_step"
run "$bin/compare_svm"
for threads in 1 2; do
  export OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads
  run "$bin/compare_retrieval"
done
export OMP_NUM_THREADS=1
run mpirun -n 2 "$bin/compare_ring"
if [ -z "$mode" ]; then
  for ranks in 1 2 4 8 16 32 64 128; do
    mpirun -n "$ranks" "$bin/compare_ring" --costs || status=1
  done
fi
exit $status
