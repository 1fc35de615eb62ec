#!/bin/bash
# git in the scratch: a repository, a commit, a clone, a branch.
. "$(dirname "$0")/../lib.sh"

need git

t init, commit, clone and log
job -- bash -c 'set -e
git init -q one && cd one
git config user.name n && git config user.email n@example.invalid
seq 300 >numbers && git add . && git commit -qm first
git checkout -q -b side && echo 301 >>numbers && git commit -qam second
cd .. && git clone -q one two && git -C two log --format=%s'
want_rc 0
want_out $'second\nfirst'
want_no_err_re 'dubious|fatal'

t merge and gc
job -- bash -c 'set -e
git init -q r && cd r
git config user.name n && git config user.email n@example.invalid
echo 1 >a && git add . && git commit -qm a
git checkout -q -b side && echo 2 >b && git add . && git commit -qm b
git checkout -q - && echo 3 >c && git add . && git commit -qm c
git merge -q -m m side && git gc -q && git fsck --no-progress && ls'
want_rc 0
want_out $'a\nb\nc'

finish
