#!/bin/bash
# The host matrix: boots every host of hosts.tbl under qemu, and holds what
# doctor says there against what run does and what attempts come to.
#
#   B=build bash tests/hosts/check.sh [NAME...]
#
# One line a host, "ok", "FAIL why" or "SKIP why"; the table is $OUT/hosts.md,
# and all that a guest said is in $OUT/hosts/NAME.  Exit 1: a host disagrees.
#
# TABLE   another table than hosts.tbl; the rest is in lib.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/hosts/lib.sh
ready hosts

# one NAME KERNEL MIB ARGUMENTS SETTINGS GAPS JOBS: a host.
one()
{
	local name=$1 gaps=$6 jobs=$7 dir=$OUT/hosts/$1 waive settings
	waive=$(sed 's/=[^;]*//g; s/ //g; s/;/,/g' <<<"$gaps")
	settings="WAIVE=;FLOOR=;PYTHON=;NAKED=;LEFT=;$5"
	case $jobs in
	waived) settings="$settings;WAIVE=$waive" ;;
	none) settings="$settings;WAIVE=memory,landlock,procfs;FLOOR=yes" ;;
	esac
	if bash tests/hosts/boot.sh "$C" "$dir" "$2" "$3" "$4" "$settings" \
	    tests/hosts/work.sh "$B/agsbx" "$B/agsbx-launcher" \
	    "$B/attempt" "$C/armor" 2>"$dir.err"; then
		python3 tests/hosts/judge.py "$name" "$2" "$gaps" "$jobs" "$dir"
	else
		echo "FAIL hosts: $name: $(tr '\n' ' ' <"$dir.err")"
		echo "| $name | $2 | | | | | no result |" >"$dir/row.md"
	fi
}
export -f one

# The table as lines of NUL-ended columns, of the hosts that were asked for.
rows()
{
	local name kernel mib arguments settings gaps jobs
	while IFS='|' read -r name kernel mib arguments settings gaps jobs; do
		name=${name// /}
		[[ $# -eq 0 || " $* " == *" $name "* ]] || continue
		printf '%s\0' "$name" "${kernel// /}" "${mib// /}" \
		    "$arguments" "${settings// /}" "$gaps" "${jobs// /}"
	done < <(grep -v '^#' "${TABLE:-tests/hosts/hosts.tbl}")
}

if [ "$(rows "$@" | wc -c)" -eq 0 ]; then
	echo "FAIL hosts: the table has none of: $*"
	exit 1
fi
rows "$@" | xargs -0 -n 7 -P "${JOBS:-2}" bash -c 'one "$@"' one |
    tee "$OUT/hosts/lines"

{
	echo "| host | kernel | doctor | run | waived | contained | verdict |"
	echo "|---|---|---|---|---|---|---|"
	rows "$@" | xargs -0 -n 7 | while read -r name _; do
		cat "$OUT/hosts/$name/row.md"
	done
} >"$OUT/hosts.md"
column -t -s '|' "$OUT/hosts.md" | grep -v -- '---' >"$OUT/hosts/table"
cat "$OUT/hosts/table"
! grep -q '^FAIL' "$OUT/hosts/lines"
