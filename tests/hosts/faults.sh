#!/bin/bash
# Runs fault injection in the delegated guest, as its ordinary user: there each
# job has a leaf, which must be gone afterwards as everything else.  Slow, so no
# part of check.
#
#   B=build bash tests/hosts/faults.sh [SCRIPT...]
#
# SCRIPT   of tests/faults; kills.sh, if none is named
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
C=${AGSBX_HOSTS_CACHE:-$B/hosts-cache}
out=$B/hosts/faults
mkdir -p "$B/hosts"
[ $# -gt 0 ] || set -- kills.sh
bash tests/hosts/setup.sh "$C" >"$B/hosts/setup.log" 2>&1
work=$(mktemp)
trap 'rm -f "$work"' EXIT
cat >"$work" <<WORK
mkdir /run/b
mv \$H/agsbx* \$H/faults \$H/tests /run/b/
cd /run/b
for script in $*; do
	user 7000 env AGSBX=/run/b/agsbx bash tests/faults/\$script ||
	    echo "FAIL \$script ended with \$?"
done 2>"\$OUT/errors" | tee "\$OUT/lines" >/dev/console
find \$V2 -name 'agsbx-*' >"\$OUT/leaves"
WORK
SECONDS_MAX=7100 CLOCK=counted bash tests/hosts/boot.sh "$C" "$out" 6.1 2048 \
    "" CG=named "$work" "$B/agsbx" "$B/agsbx-launcher" "$B/faults" "$PWD/tests"
cat "$out/out/errors" "$out/out/lines"
sed 's/^/FAIL left behind: /' "$out/out/leaves"
echo "NOTE $(cat "$out/out/uptime") s by the guest's clock"
grep -q '^ok' "$out/out/lines" && [ ! -s "$out/out/leaves" ] &&
    ! grep -q '^FAIL' "$out/out/lines"
