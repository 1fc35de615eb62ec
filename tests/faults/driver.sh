# shellcheck shell=bash
# driver.sh - for the scripts of tests/faults; sourced, never run.
#
# FULL   not empty: at every call, and not at a choice of them
#
# "calls ROLE" and "kills" make the runs; the programs print a line for each
# test, as tests/lib.sh would.
. "$(dirname "$0")/../lib.sh"
FAULTS=$(dirname "$AGSBX")/faults
# Longer than any run on a busy host, shorter than the tracer's patience.
RUN=("$AGSBX" run --json --wall 20 "${WAIVE[@]}" "$FAULTS/probe")

t "all of it"
[ "$(uname -m)" = x86_64 ] || { skip "only x86-64 is known here"; finish; }
NAME=""

calls()
{
	"$FAULTS/calls" "$1" "$(choice each)" "${RUN[@]}"
}
kills()
{
	"$FAULTS/kills" "$(choice steps)" "$1" "${RUN[@]}"
}
# choice WORD: every, or WORD for a part.
choice()
{
	if [ -n "${FULL:-}" ]; then echo every; else echo "$1"; fi
}
