#!/bin/bash
# Runs the escape suite in the delegated guest, as its ordinary user.  There is
# a memory controller, i386, AF_VSOCK and swap: what is skipped elsewhere is not
# skipped there.  The guest's clock counts its instructions, so that no deadline
# passes because the emulator is slow or this machine busy.
#
#   B=build bash tests/hosts/escapes.sh [NAME...]
#
# NAME     an attempt, or the beginning of one; if none is named, what only a
#          guest can show, or with FULL=1 all
# REPORT   a directory for escapes-guest.json
# KERNEL   another of the cache than 6.1
# AGSBX_HOSTS_CACHE, AGSBX_HOSTS_OUT   as in check.sh
# Every control is stubbed there as well, those that hold by a leaf among them.
# Prints the runner's lines.  Exit 1: one failed, or there was no result.
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
OUT=$(realpath "${AGSBX_HOSTS_OUT:-$B}")
C=${AGSBX_HOSTS_CACHE:-$OUT/hosts-cache}
REPORT=${REPORT:-$OUT/report}
SECONDS_MAX=${SECONDS_MAX:-${FULL:+7000}}
SECONDS_MAX=${SECONDS_MAX:-1400}
out=$OUT/hosts/escapes
only=(cg- rs-memory-many sc-int80 sc-elf32 rs-fork-bomb rs-cpu-share)
[ $# -gt 0 ] || [ -n "${FULL-}" ] || set -- "${only[@]}"
mkdir -p "$OUT/hosts" "$REPORT"

if [ "$(uname -m)" != x86_64 ]; then
	echo "SKIP escapes-guest: it boots an x86-64 kernel, this is $(uname -m)"
	exit 0
fi
if ! timeout 600 bash tests/hosts/setup.sh "$C" >"$OUT/hosts/setup.log" 2>&1
then
	echo "SKIP escapes-guest: qemu or the kernel cannot be had:" \
	    "$(grep -E '^[EW]: ' "$OUT/hosts/setup.log" | head -n 2 |
	        tr '\n' ' ')"
	exit 0
fi

work=$(mktemp)
trap 'rm -f "$work"' EXIT
cat >"$work" <<WORK
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
if ! SECONDS_MAX=$SECONDS_MAX CLOCK=counted bash tests/hosts/boot.sh "$C" \
    "$out" "${KERNEL:-6.1}" 2048 "" "CG=named;SWAP=yes" "$work" \
    "$B/agsbx" "$B/agsbx-launcher" "$B/agsbx-test" "$B/agsbx-launcher-test" \
    "$B/agsbx-launcher-hostile" "$B/agsbx-attack" "$B/escapes/run" \
    "$B/escapes/test_stubs" "$PWD/tests" \
    2>"$out.err" ||
    [ ! -s "$out/out/escapes.json" ]; then
	cat "$out/out/lines" "$out/out/errors" 2>/dev/null || :
	echo "FAIL escapes-guest: no report: $(tr '\n' ' ' <"$out.err")"
	exit 1
fi
# One line a stub, as of an attempt; the test of the dirt is their ground.
sed -nE -e 's/^\[ +OK \] ([a-z_]+)$/ok stub-\1/p' \
    -e 's/^\[ +(FAILED|SKIPPED) +\] ([a-z_]+)$/FAIL stub-\2 (\1)/p' \
    "$out/out/stubs" | sort -u >"$out/out/stub-lines"
grep -q '^ok stub-test_dirt' "$out/out/stub-lines" || {
	echo "FAIL stubs: no result"
	cat "$out/out/stubs"
} >>"$out/out/stub-lines"
cat "$out/out/stub-lines" >>"$out/out/lines"
cat "$out/out/lines" "$out/out/errors"
echo "NOTE $(cat "$out/out/uptime") s by the guest's clock"
cp "$out/out/escapes.json" "$REPORT/escapes-guest.json"
! grep -q '^FAIL' "$out/out/lines"
