#!/bin/bash
# What can leave a control out exists in the two programs of the escape suite,
# and nowhere in the two that are shipped.
#   B=build bash tests/lint/ablation.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
bad=0
complain()
{
	echo "ablation: $*"
	bad=1
}

mapfile -t names < <(sed -nE \
    's/^ABLATION\([A-Z0-9_]+, *("[a-z0-9.]+").*/\1/p' \
    tests/escapes/ablations.def | tr -d '"')
names+=(AGSBX_ABLATE AGSBX_STUB)
[ ${#names[@]} -gt 30 ] || complain "only ${#names[@]} names in ablations.def"

# has PROGRAM NAME: as a string of its own, or a variable.
has()
{
	grep -qaE "(^|[^a-z.])${2//./\\.}([^a-z.]|\$)" <<<"${strings[$1]}"
}

declare -A strings
for program in agsbx agsbx-launcher agsbx-test agsbx-launcher-test; do
	strings[$program]=$(tr -c '[:print:]' '\n' <"$B/$program" |
	    grep -xE '.*(AGSBX_(ABLATE|HOSTILE|STUB)|[a-z]{2,5}\.[a-z0-9]+).*')
done
for name in "${names[@]}"; do
	for program in agsbx agsbx-launcher; do
		! has "$program" "$name" || complain "$B/$program knows $name"
		# The same search finds it where it must be.
		has "$program-test" "$name" ||
		    complain "$B/$program-test does not know $name"
	done
done
for program in agsbx agsbx-launcher; do
	! has "$program" AGSBX_HOSTILE || complain "$B/$program can be told to lie"
	! nm "$B/$program" | grep -qE ' (__wrap_|ablat)' ||
	    complain "$B/$program has functions of the escape suite"
	nm "$B/$program-test" | grep -q ' __wrap_' ||
	    complain "$B/$program-test has none"
done
has agsbx-test AGSBX_HOSTILE || complain "$B/agsbx-test starts no other launcher"
exit "$bad"
