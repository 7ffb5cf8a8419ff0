#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# Bad input, settings and disks: all ranks end soon, and one of them says why.
. "$(dirname "$0")/program.sh"

first_points 60 query learn.bvecs
brief="--bits 4 --max-iterations 2 --output out"

# of_learn PATTERN FILE: the file as points to learn from.
of_learn() {
  refused "$1" 3 --learn "$2" $brief
  [ ! -e out/model.parmac ] || fail "there is a model"
}

files() {
  of_learn "*missing.bvecs*No such file*" missing.bvecs
  head -c 2 learn.bvecs > head.bvecs
  of_learn "*head.bvecs*" head.bvecs
  head -c 5000 learn.bvecs > record.bvecs # 37.9 records
  of_learn "*record.bvecs*" record.bvecs
  cp learn.bvecs ragged.bvecs
  patch ragged.bvecs $((132 * 50)) '\177'
  of_learn "*ragged.bvecs*50*127*128*" ragged.bvecs
  : > empty.bvecs
  of_learn "*empty.bvecs*" empty.bvecs
  cp learn.bvecs learn.txt
  of_learn "*learn.txt*" learn.txt
  mkdir folder.bvecs
  of_learn "*folder.bvecs*" folder.bvecs
  patch ragged.bvecs 0 '\000\000\000\000'
  of_learn "*ragged.bvecs*" ragged.bvecs
  printf 'no gzip at all, only words' > packed.bvecs.gz
  of_learn "*packed.bvecs.gz*" packed.bvecs.gz
  refused "*missing.fvecs*" 2 --learn learn.bvecs --base missing.fvecs $brief
}

numbers() {
  make_fvecs 30 good.fvecs
  cp good.fvecs nan.fvecs
  patch nan.fvecs $((20 * 7 + 4 + 4 * 2)) '\000\000\300\177'
  of_learn "*nan.fvecs*record 7, column 2*NaN*" nan.fvecs
  cp good.fvecs infinite.fvecs # in the last rank's share
  patch infinite.fvecs $((20 * 29 + 4)) '\000\000\200\377'
  of_learn "*infinite.fvecs*record 29, column 0*infinity*" infinite.fvecs
  refused "*nan.fvecs*record 7, column 2*" 2 --learn good.fvecs --query nan.fvecs $brief
  refused "*infinite.fvecs*record 29*" 2 --learn good.fvecs --base infinite.fvecs $brief
}

groundtruth() {
  make_fvecs 30 learn.fvecs
  make_fvecs 2 query.fvecs
  # Two queries of three neighbours each.
  record='\003\000\000\000\001\000\000\000\002\000\000\000'
  printf "$record\\003\\000\\000\\000$record\\035\\000\\000\\000" > truth.ivecs
  good 2 --learn learn.fvecs --query query.fvecs --groundtruth truth.ivecs --bits 4 --max-iterations 2
  all="--learn learn.fvecs --query query.fvecs $brief"
  printf "$record\\003\\000\\000\\000$record\\036\\000\\000\\000" > high.ivecs
  refused "*high.ivecs*record 1, column 2*30*" 2 $all --groundtruth high.ivecs
  printf "$record\\377\\377\\377\\377$record\\004\\000\\000\\000" > low.ivecs
  refused "*low.ivecs*record 0, column 2*-1*" 2 $all --groundtruth low.ivecs
  printf "$record\\003\\000\\000\\000" > short.ivecs
  refused "*short.ivecs*1 quer*2 quer*" 2 $all --groundtruth short.ivecs
  refused "*query.fvecs*4*learn.bvecs*128*" 2 --learn learn.bvecs --query query.fvecs $brief
  refused "*learn.fvecs*4*learn.bvecs*128*" 2 --learn learn.bvecs --base learn.fvecs $brief
}

# of_option PATTERN ARGUMENTS...: on as many ranks as `count` says.
of_option() {
  pattern=$1
  shift
  refused "$pattern" $count --learn learn.bvecs --output out "$@"
}

options() {
  # One setting a place where settings are checked; all ranks throw at the same time, one speaks.
  count=2
  of_option "*epochs*-1*" --epochs -1
  of_option "*penalty*0*" --mu 0
  of_option "*lambda*-1*" --lambda -1
  of_option "*threads*0*" --threads 0
  of_option "*chunk limit*0*" --message-bytes 0
  of_option "*shares*3*2*" --shares 1,1,1
  of_option "*weight*-1*" --shares 2,-1
  # The others alone, which is quicker.
  count=1
  of_option "*max_iterations*0*" --max-iterations 0
  of_option "*penalty*nan*" --mu nan
  of_option "*factor*0.9*" --mu-factor 0.9
  of_option "*penalty 1*" --mu-list 2,1
  of_option "*minibatch*0*" --minibatch 0
  of_option "*batons*0*" --batons 0
  of_option "*min-change*nan*" --min-change nan
  of_option "*time-limit*-1*" --time-limit -1
  of_option "*recall*0*" --recall 0
  of_option "*neighbours*0*" --neighbours 0
  # What is no option or no number is refused by the parser, in one voice.
  for words in "--epochs two" "--nonsense" "--start sideways"; do
    run 2 --learn learn.bvecs $words
    [ "$status" -eq 1 ] || fail "status $status of: $words"
    [ "$(grep -c -- "--help" err.txt)" -eq 1 ] || fail "not one hint of: $words"
  done
}

sizes() {
  refused "*0 bits*" 2 --learn learn.bvecs --bits 0 --output out
  refused "*129 bits*128 features*" 2 --learn learn.bvecs --bits 129 --output out
  first_points 2 query few.bvecs
  refused "*few.bvecs*2 points*3 ranks*" 3 --learn few.bvecs --bits 4 --output out
  refused "*learn.bvecs*60 points*58*3 ranks*" 3 --learn learn.bvecs --validation 58 --output out
  [ ! -e out/model.parmac ] || fail "there is a model"
}

output() {
  for place in learn.bvecs/below /proc/parmac /sys/parmac /proc; do # even root cannot write there
    refused "*$place*" 2 --learn learn.bvecs --bits 4 --max-iterations 2 --output $place
  done
}

full() {
  mkdir out
  all="2 --learn learn.bvecs --query learn.bvecs --neighbours 5 $brief"
  for name in iterations.csv base_codes.npy query_codes.npy model.parmac recall.csv; do
    rm -f out/*
    ln -s /dev/full out/$name
    refused "*out/$name*No space left*" $all
    if [ $name = iterations.csv ] && [ -e out/model.parmac ]; then fail "there is a model"; fi
  done
}

"$1"
