#!/bin/sh
# Builds parmac with all warnings as errors and runs every test, those under mpirun included;
# installs what is missing first. Arguments go on to ctest, such as: tests/run.sh -L mpi
#
# BUILD (build/tests) and JOBS (the number of cores) may be set in the environment.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$here/build/tests}
jobs=${JOBS:-$(nproc)}

sh "$here/cmake/install_packages.sh"
. "$here/cmake/mpi_environment.sh"
# Optimised little, to be built in minutes, and with the assertions of Eigen and the standard library.
cmake -S "$here" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1" \
  -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -Wdev
cmake --build "$build" -j "$jobs"
ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error "$@"
