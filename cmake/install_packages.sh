#!/bin/sh
# Installs the Debian packages that parmac's examples and tests need; does nothing when they are
# there. Asks for sudo only when it is not run by root. On other systems it says what is missing.
set -eu

packages="g++ cmake ninja-build git libeigen3-dev libboost-dev libboost-serialization-dev
  libboost-mpi-dev libopenmpi-dev openmpi-bin zlib1g-dev libcli11-dev catch2 gnuplot-nox"

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  echo "parmac: this is no Debian-like system, so nothing is installed here. What is needed:" \
    "a C++20 compiler, CMake 3.25, Ninja, git, Eigen 3.4, Boost 1.74 (headers, Serialization, MPI)," \
    "Open MPI, zlib, CLI11, Catch2 2.13 or 3, gnuplot." >&2
  for tool in c++ cmake ninja git mpirun gnuplot; do
    command -v "$tool" > /dev/null || missing="${missing:-} $tool"
  done
  [ -z "${missing:-}" ] && exit 0
  echo "parmac: not found here:$missing" >&2
  exit 1
fi

missing=""
for package in $packages; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] ||
    missing="$missing $package"
done
[ -z "$missing" ] && exit 0

echo "parmac: installing$missing"
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing > /dev/null
