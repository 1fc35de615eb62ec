#!/bin/bash
# "make demo": what this host can hold, one real job, and its ledger row.
set -eu
cd "$(dirname "$0")/.."
agsbx=$(realpath "${B:-build}/agsbx")
work=$(mktemp -d "${TMPDIR:-/tmp}/agsbx-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 711 "$work"
export AGSBX_STATE_DIR=$work/state

show()
{
	local word
	printf '\n$ agsbx'
	for word; do
		case $word in
		*[!a-z-]*) printf ' %s' "${word@Q}" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
	"$agsbx" "$@" </dev/null
}

rc=0
show doctor || rc=$?
case $rc in
0) ;;
3) printf '%s\n' '(exit 3: what is listed above cannot be held on this host.' \
    ' Without a waiver agsbx refuses to run a job here; the next command' \
    ' waives it by name, and the ledger keeps that.)' ;;
*) exit "$rc" ;;
esac
show run --allow-degraded --note demo -c \
    'import os; print("hello from user", os.getuid(), "in", os.getcwd())'
show jobs
