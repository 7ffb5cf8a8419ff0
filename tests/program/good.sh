#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# Runs that end well.
. "$(dirname "$0")/program.sh"

help() {
  good 2 --help
  for option in learn base query groundtruth output shares validation bits start decoder lambda \
    minibatch step-size epochs local-epochs shuffle-ring batons mu mu-factor mu-list z-step threads \
    seed max-iterations min-change time-limit recall neighbours message-bytes synchronous-sends \
    stall-report stall-stop version; do
    [ "$(grep -c -- "--$option\b" out.txt)" -ge 1 ] || fail "--help does not list --$option"
  done
  [ "$(grep -c "^ *--learn" out.txt)" -eq 1 ] || fail "both ranks spoke"
  good 1 --version
  grep -q '^parmac [0-9]*\.[0-9]*\.[0-9]*$' out.txt || fail "no version"
}

results() {
  first_points 2000 base base.bvecs
  first_points 50 query query.bvecs
  good 4 --learn "$DATA/sift_learn.bvecs" --base base.bvecs --query query.bvecs --bits 12 \
    --max-iterations 2 --recall 1,10,2000 --output new/folder
  for name in model.parmac base_codes.npy query_codes.npy iterations.csv recall.csv; do
    has new/folder/$name
  done
  # 12 bits take 2 bytes, behind the 128 of the header.
  [ "$(wc -c < new/folder/base_codes.npy)" -eq $((128 + 2 * 2000)) ] || fail "size of base_codes.npy"
  [ "$(wc -c < new/folder/query_codes.npy)" -eq $((128 + 2 * 50)) ] || fail "size of query_codes.npy"
  head -c 6 new/folder/base_codes.npy | grep -q NUMPY || fail "base_codes.npy is none"
  head -c 8 new/folder/model.parmac | grep -q PARMACBA || fail "model.parmac is none"
  # A line an iteration and machine, of as many fields as the head.
  awk -F, 'NR == 1 { n = NF } NF != n || NR > 1 && $0 ~ /[a-z]an|inf/ { exit 1 }
           END { if (NR != 1 + 2 * 4) exit 1 }' new/folder/iterations.csv || fail "iterations.csv"
  awk -F, 'NF != 3 || NR > 1 && ($2 < last || $2 > 1 || $3 > 1) { exit 1 } { last = NR > 1 ? $2 : 0 }
           END { if (NR < 10) exit 1 }' new/folder/recall.csv || fail "recall.csv"
  grep -Eq '^recall@1 +[01]\.[0-9]{3} +[01]\.[0-9]{3}$' out.txt || fail "no recall@1"
  # Among the first 2000 of 2000 rows is every neighbour.
  grep -Eq '^recall@2000 +1\.000 +1\.000$' out.txt || fail "recall@2000 is not 1"
  grep -Eq '^precision@100 +0\.[0-9]{3} +0\.[0-9]{3}$' out.txt || fail "no precision@100"
}

ranks() {
  first_points 300 query learn.bvecs
  good 16 --learn learn.bvecs --query learn.bvecs --neighbours 60 --bits 8 --max-iterations 3 --output out
  ! grep -Evq '^([0-9]+ machines, .* iteration$|note: .* without a submodel$|iteration +[0-9]+  mu .* s$|[0-9]+ iterations on 16 machines, .*|measure +learned +tPCA$|(recall|precision)@[0-9]+ +[01]\.[0-9]{3} +[01]\.[0-9]{3}$)' \
    out.txt || fail "a line that is none"
  [ "$(grep -c '^iteration ' out.txt)" -eq 3 ] || fail "not a line an iteration"
  # Bytes start from the same components on any number of ranks, so those measure the same, though
  # a rank has fewer points than neighbours are asked for.
  grep '@' out.txt | awk '{ print $1, $3 }' > many.txt
  for shares in 1 5,0,1; do
    good "$(echo $shares | tr ',' '\n' | wc -l)" --learn learn.bvecs --query learn.bvecs --bits 8 \
      --max-iterations 1 --neighbours 60 --shares $shares
    grep '@' out.txt | awk '{ print $1, $3 }' | cmp - many.txt || fail "the components measure otherwise"
  done
}

transport() {
  first_points 300 query learn.bvecs
  all="--learn learn.bvecs --query learn.bvecs --bits 12 --epochs 2 --max-iterations 3"
  same() {
    for name in model.parmac base_codes.npy query_codes.npy recall.csv; do
      cmp out/$name "$1/$name" || fail "$1 has another $name"
    done
  }
  good 3 $all --output out
  good 3 $all --output again
  same again
  good 3 $all --synchronous-sends --output synchronous
  same synchronous
  good 3 $all --message-bytes 1000 --output short
  same short
  good 3 $all --threads 3 --output threads
  same threads
  # As little buffering as Open MPI has; other MPIs ignore these.
  for name in vader sm self tcp; do export OMPI_MCA_btl_${name}_eager_limit=128; done
  good 3 $all --output unbuffered
  same unbuffered
  good 3 $all --output other --seed 2
  ! cmp -s out/model.parmac other/model.parmac || fail "the seed changes nothing"
}

forms() {
  first_points 300 query learn.bvecs
  first_points 40 base query.bvecs
  short="2 --learn learn.bvecs --bits 6 --max-iterations 2"
  good $short --start itq --decoder sgd --local-epochs --epochs 2 --shuffle-ring --batons 2
  good $short --mu-list 0.001,0.1 --z-step alternating --min-change 0.5 --time-limit 60 --no-final-fit
  good $short --validation 50 --z-step enumeration --query query.bvecs --recall 1,5 --neighbours 3
  gzip -c learn.bvecs > packed.bvecs.gz
  good 2 --learn packed.bvecs.gz --bits 6 --max-iterations 2 --output packed
  good $short --output plain
  cmp plain/model.parmac packed/model.parmac || fail "gzip makes another model"
}

shares() {
  first_points 300 query learn.bvecs
  good 3 --learn learn.bvecs --query learn.bvecs --bits 6 --max-iterations 2 --shares 2,0,1 --output out
  [ "$(awk -F, 'NR == 2 || NR == 3 || NR == 4 { printf "%s ", $11 }' out/iterations.csv)" = "200 0 100 " ] ||
    fail "the points are not shared out as asked"
}

# Two runs in one folder at once: whose files stay is not said, but they are whole.
together() {
  first_points 300 query learn.bvecs
  all="--learn learn.bvecs --query learn.bvecs --bits 8 --max-iterations 3"
  # shellcheck disable=SC2086
  timeout 60 $LAUNCH "$RANKS_FLAG" 1 "$PROGRAM" $all --output out > other.txt 2>&1 &
  other=$!
  run 1 $all --output out
  wait $other || fail "the other run: $(cat other.txt)"
  [ "$status" -eq 0 ] || fail "status $status"
  no_parts
  good 1 $all --output alone
  for name in model.parmac base_codes.npy query_codes.npy recall.csv; do
    cmp out/$name alone/$name || fail "$name is not whole"
  done
}

# Rank 0 tries 2^16 codes for nearly all points, and rank 1 waits for it.
stall() {
  first_points 240 learn learn.bvecs
  slow="2 --learn learn.bvecs --bits 18 --z-step enumeration --max-iterations 1 --no-final-fit --shares 239,1"
  good $slow --stall-report 0.2
  grep -q "^parmac: rank 1 has waited [0-9.]* s for .* from rank 0$" err.txt || fail "no report"
  refused "rank 1 has waited * s for *; the limit is 0.4 s" $slow --stall-stop 0.4
}

custom_model() {
  for form in serial threads; do
    timeout 60 "$CUSTOM_MODEL" $form > out.txt 2> err.txt || fail "custom_model $form"
    grep -q '^learned$' out.txt || fail "custom_model $form has not learned"
  done
  PROGRAM=$CUSTOM_MODEL
  good 4 mpi
  grep -q '^learned$' out.txt || fail "custom_model mpi has not learned"
}

"$1"
