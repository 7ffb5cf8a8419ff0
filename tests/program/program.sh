# SPDX-License-Identifier: BSL-1.0
# What the scripts that run the example programs share. Of the environment they need LAUNCH (mpirun
# and its flags), RANKS_FLAG, PROGRAM, CUSTOM_MODEL, RESAMPLE and DATA (the folder of example data).
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
# Open MPI's mpirun rests a second or two after a program that failed; others ignore this.
export OMPI_MCA_odls_base_sigkill_timeout=0

fail() {
  echo "FAILED: $*"
  echo "-- stdout:"; tail -n 20 out.txt
  echo "-- stderr:"; tail -n 20 err.txt
  exit 1
}

# run RANKS ARGUMENTS...: sets status and seconds; what was said is in out.txt and err.txt.
run() {
  ranks=$1
  shift
  begin=$(date +%s)
  # shellcheck disable=SC2086
  timeout 60 $LAUNCH "$RANKS_FLAG" "$ranks" "$PROGRAM" "$@" > out.txt 2> err.txt
  status=$?
  seconds=$(($(date +%s) - begin))
}

# good RANKS ARGUMENTS...: a run that must end well and complain of nothing.
good() {
  run "$@"
  [ "$status" -eq 0 ] || fail "status $status of: $*"
  ! grep -q "^parmac: rank [0-9]* of" err.txt || fail "complaints of: $*"
  no_parts
}

# refused PATTERN RANKS ARGUMENTS...: a run that must end soon on all ranks with status 1, one line
# of complaint that fits the PATTERN, and nothing half written.
refused() {
  pattern=$1
  shift
  run "$@"
  [ "$status" -eq 1 ] || fail "status $status instead of 1 of: $*"
  [ "$seconds" -lt 15 ] || fail "took $seconds s: $*"
  [ "$(grep -c "^parmac: rank [0-9]* of" err.txt)" -eq 1 ] || fail "not one line of complaint of: $*"
  line=$(grep "^parmac: rank [0-9]* of" err.txt)
  # shellcheck disable=SC2254
  case $line in
    "parmac: rank "[0-9]*" of $1: "$pattern) ;;
    *) fail "does not say '$pattern': $*" ;;
  esac
  no_parts
}

no_parts() {
  [ -z "$(find . -name '*.part*')" ] || fail "left $(find . -name '*.part*')"
}

has() {
  [ -s "$1" ] || fail "there is no $1"
}

# first_points N FROM TO: the first N SIFT points of a file of 132 bytes a record.
first_points() {
  head -c $((132 * $1)) "$DATA/sift_$2.bvecs" > "$3"
}

# patch FILE OFFSET BYTES: puts bytes, in printf's octal, over what stands there.
patch() {
  printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2> dd.txt
}

# octal_float K: one of a few floats, least significant byte first.
octal_float() {
  case $(($1 % 5)) in
    0) printf '\\000\\000\\200\\077' ;; # 1
    1) printf '\\000\\000\\000\\100' ;; # 2
    2) printf '\\000\\000\\300\\277' ;; # -1.5
    3) printf '\\000\\000\\200\\076' ;; # 0.25
    4) printf '\\000\\000\\240\\100' ;; # 5
  esac
}

# make_fvecs N FILE: N points of 4 features; a record takes 20 bytes.
make_fvecs() {
  text=
  n=0
  while [ $n -lt "$1" ]; do
    text="$text\\004\\000\\000\\000"
    for d in 1 2 3 4; do text="$text$(octal_float $((n * n * d + n / 3 + d * d)))"; done
    n=$((n + 1))
  done
  printf "$text" > "$2"
}
