#!/bin/bash
# Runs a folder of case scripts in the delegated guest, as its ordinary user:
# DIR/run-all.sh WHICH, with AGSBX in the environment, prints lines that begin
# with PASS, FAIL or SKIP and a total; a case that is skipped for want of root is
# run once more as root.  Slow, so no part of check.
#
#   B=build bash tests/hosts/cases.sh DIR [WHICH]
set -eu
DIR=$(realpath "${1:?a directory with run-all.sh}") WHICH=${2:-public}
cd "$(dirname "$0")/../.."
. tests/hosts/lib.sh
ready cases-guest

delegated cases 7200 3072 CG=named "$DIR" <<WORK
cp -r "\$H/$(basename "$DIR")" /tmp/cases
chmod -R a+rX /tmp/cases
user 7000 env AGSBX="\$H/agsbx" bash /tmp/cases/run-all.sh $WHICH \
    2>"\$OUT/cases.err" | tee "\$OUT/cases.out" >/dev/console
for name in \$(sed -n 's/^SKIP \([^:]*\): .*root.*/\1/p' "\$OUT/cases.out"); do
	echo "as root:"
	AGSBX="\$H/agsbx" bash /tmp/cases/$WHICH/\$name.sh
done >>"\$OUT/cases.out" 2>>"\$OUT/cases.err"
WORK
cat "$out/cases.out"
grep -q '^PASS' "$out/cases.out" && ! grep -q '^FAIL' "$out/cases.out"
