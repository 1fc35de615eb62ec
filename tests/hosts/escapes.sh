#!/bin/bash
# Runs the escape suite in the delegated guest, as its ordinary user.  There is
# a memory controller, i386, AF_VSOCK and swap: what is skipped elsewhere is not
# skipped there.  Every control is stubbed as well, those of a leaf among them.
#
#   B=build bash tests/hosts/escapes.sh [NAME...]
#
# NAME     an attempt, or the beginning of one; if none is named, what only a
#          guest can show, or with FULL=1 all
# REPORT   a directory for escapes-guest.json
# Prints the runner's lines.  Exit 1: one failed, or there was no result.
set -eu
cd "$(dirname "$0")/../.."
. tests/hosts/lib.sh
REPORT=${REPORT:-$OUT/report}
SECONDS_MAX=${SECONDS_MAX:-${FULL:+7000}}
SECONDS_MAX=${SECONDS_MAX:-1400}
only=(cg- rs-memory-many sc-int80 sc-elf32 rs-fork-bomb rs-cpu-share)
[ $# -gt 0 ] || [ -n "${FULL-}" ] || set -- "${only[@]}"
mkdir -p "$REPORT"
ready escapes-guest

if ! delegated escapes "$SECONDS_MAX" 2048 "CG=named;SWAP=yes" \
    "$B/agsbx-test" "$B/agsbx-launcher-test" "$B/agsbx-launcher-hostile" \
    "$B/agsbx-attack" "$B/escapes/run" "$B/escapes/test_stubs" "$PWD/tests" \
    <<WORK || [ ! -s "$out/escapes.json" ]; then
mkdir /run/b
mv \$H/agsbx* \$H/run \$H/tests /run/b/
cd /run/b
chmod 1777 /var/tmp
ulimit -n 16384
mkdir -m 777 /run/report
user 300 env B=/run/b \$H/test_stubs >"\$OUT/stubs" 2>&1
user $((SECONDS_MAX - 30)) env B=/run/b /run/b/run \
    -o /run/report/escapes.json $* 2>"\$OUT/errors" | tee "\$OUT/lines" \
    >/dev/console
cp /run/report/escapes.json "\$OUT/"
WORK
	cat "$out/lines" "$out/errors" 2>/dev/null || :
	echo "FAIL escapes-guest: no report"
	exit 1
fi
# One line a stub, as of an attempt; the test of the dirt is their ground.
sed -nE -e 's/^\[ +OK \] ([a-z_]+)$/ok stub-\1/p' \
    -e 's/^\[ +(FAILED|SKIPPED) +\] ([a-z_]+)$/FAIL stub-\2 (\1)/p' \
    "$out/stubs" | sort -u >"$out/stub-lines"
grep -q '^ok stub-test_dirt' "$out/stub-lines" || {
	echo "FAIL stubs: no result"
	cat "$out/stubs"
} >>"$out/stub-lines"
cat "$out/stub-lines" >>"$out/lines"
cat "$out/lines" "$out/errors"
echo "NOTE $(cat "$out/uptime") s by the guest's clock"
cp "$out/escapes.json" "$REPORT/escapes-guest.json"
! grep -q '^FAIL' "$out/lines"
