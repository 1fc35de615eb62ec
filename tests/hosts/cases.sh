#!/bin/bash
# Runs a folder of case scripts in the delegated guest, as its ordinary user:
# DIR/run-all.sh WHICH, with AGSBX in the environment, prints lines that begin
# with PASS, FAIL or SKIP and a total.  Slow, as programs there are 20 to 50
# times slower, so no part of check.
#
#   B=build bash tests/hosts/cases.sh DIR [WHICH]
set -eu
DIR=$(realpath "${1:?a directory with run-all.sh}") WHICH=${2:-public}
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
C=${AGSBX_HOSTS_CACHE:-$B/hosts-cache}
out=$B/hosts/cases
bash tests/hosts/setup.sh "$C"
work=$(mktemp)
trap 'rm -f "$work"' EXIT
cat >"$work" <<WORK
cp -r "\$H/$(basename "$DIR")" /tmp/cases
chmod -R a+rX /tmp/cases
user 7000 env AGSBX="\$H/agsbx" bash /tmp/cases/run-all.sh $WHICH \
    >"\$OUT/cases.out" 2>"\$OUT/cases.err"
echo \$? >"\$OUT/cases.rc"
WORK
SECONDS_MAX=7200 bash tests/hosts/boot.sh "$C" "$out" 6.1 3072 "" CG=named \
    "$work" "$B/agsbx" "$B/agsbx-launcher" "$DIR"
cat "$out/out/cases.out"
exit "$(cat "$out/out/cases.rc")"
