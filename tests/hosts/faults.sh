#!/bin/bash
# Runs fault injection in the delegated guest, as its ordinary user: there each
# job has a leaf, which must be gone afterwards as everything else.  Slow, so no
# part of check.
#
#   B=build bash tests/hosts/faults.sh [SCRIPT...]
#
# SCRIPT   of tests/faults; all of them, if none is named
set -eu
cd "$(dirname "$0")/../.."
. tests/hosts/lib.sh
[ $# -gt 0 ] || set -- calls-launcher.sh calls-init.sh calls-job.sh \
    calls-broker.sh kills.sh
ready faults-guest

delegated faults 7100 2048 CG=named "$B/faults" "$PWD/tests" <<WORK
mkdir /run/b
mv \$H/agsbx* \$H/faults \$H/tests /run/b/
cd /run/b
for script in $*; do
	user 7000 env AGSBX=/run/b/agsbx bash tests/faults/\$script ||
	    echo "FAIL \$script ended with \$?"
done 2>"\$OUT/errors" | tee "\$OUT/lines" >/dev/console
find \$V2 -name 'agsbx-*' >"\$OUT/leaves"
WORK
cat "$out/errors" "$out/lines"
sed 's/^/FAIL left behind: /' "$out/leaves"
echo "NOTE $(cat "$out/uptime") s by the guest's clock"
grep -q '^ok' "$out/lines" && [ ! -s "$out/leaves" ] &&
    ! grep -q '^FAIL' "$out/lines"
