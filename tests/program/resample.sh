#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# The example that makes a large file from a small one.
. "$(dirname "$0")/program.sh"

# resampled ARGUMENTS...: runs the program, which must end well.
resampled() {
  "$RESAMPLE" "$@" > out.txt 2> err.txt || fail "status $? of: $*"
  no_parts
}

# Without noise the records are those of the source; the threads do not matter, the seed does.
records() {
  first_points 1 learn one.bvecs
  resampled one.bvecs ten.bvecs --points 10 --jitter 0
  for n in 1 2 3 4 5 6 7 8 9 10; do cat one.bvecs; done > expected.bvecs
  cmp ten.bvecs expected.bvecs || fail "other records than the only one"

  first_points 60 learn learn.bvecs
  for threads in 1 2 5; do
    resampled learn.bvecs "$threads.bvecs" --points 9001 --threads $threads
    [ "$(wc -c < "$threads.bvecs")" -eq $((132 * 9001)) ] || fail "not 9001 records"
    cmp "$threads.bvecs" 1.bvecs || fail "another file on $threads threads"
  done
  resampled learn.bvecs seed.bvecs --points 9001 --seed 2
  ! cmp -s seed.bvecs 1.bvecs || fail "the same file from another seed"
  # A program can train on it.
  good 2 --learn 1.bvecs --bits 4 --max-iterations 1 --output out
}

# Every feature moves by at most the jitter, as often up as down, and stays a byte.
noise() {
  first_points 1 learn one.bvecs
  resampled one.bvecs exact.bvecs --points 500 --jitter 0
  resampled one.bvecs noisy.bvecs --points 500 --jitter 3
  cmp -l exact.bvecs noisy.bvecs > moved.txt # byte, and both values in octal
  awk 'function value(o) { return int(o / 100) * 64 + int(o / 10) % 10 * 8 + o % 10 }
    { change = value($3) - value($2); size = change < 0 ? -change : change
      if (size > 3 || ($1 - 1) % 132 < 4) bad++
      seen[change]++; moved++ }
    END { for (c = -3; c <= 3; c++) if (c != 0 && seen[c] < 500 * 128 / 14) bad++
      if (bad > 0 || moved < 500 * 128 / 2) exit 1 }' moved.txt || fail "not noise up to 3"
}

# refuses PATTERN ARGUMENTS...: the program must say why, and leave no file.
refuses() {
  pattern=$1
  shift
  if "$RESAMPLE" "$@" > out.txt 2> err.txt; then fail "took: $*"; fi
  # shellcheck disable=SC2254
  case $(cat out.txt err.txt) in $pattern) ;; *) fail "does not say '$pattern': $*" ;; esac
  [ ! -e made.bvecs ] || fail "there is a file after: $*"
  no_parts
}

bad() {
  first_points 5 learn learn.bvecs
  make_fvecs 5 floats.fvecs
  refuses "*missing.bvecs*" missing.bvecs made.bvecs --points 5
  refuses "*floats.fvecs*floats*bytes*" floats.fvecs made.bvecs --points 5
  refuses "*points*" learn.bvecs made.bvecs --points 0
  refuses "*points*" learn.bvecs made.bvecs
  refuses "*jitter*" learn.bvecs made.bvecs --points 5 --jitter 256
  refuses "*no_such/made.bvecs*" learn.bvecs no_such/made.bvecs --points 5
  [ ! -w /dev/full ] || refuses "*/dev/full*" learn.bvecs /dev/full --points 5
}

"$1"
