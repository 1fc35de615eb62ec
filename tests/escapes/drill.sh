#!/bin/bash
# drill.sh NAME - one attempt on agsbx itself, or by several jobs: the function
# NAME of drill_GROUP.sh, once.  Started by escapes/run, which tells in the
# environment:
#
# B         the build directory; AGSBX_ABLATE is what agsbx-test leaves out
# D         the trial's directory, with home, shown, state, tools
# TOKEN     its secret; COMM a name for processes that nobody else has
# WAIVERS   what this host cannot hold
# NAKED     not empty: without agsbx
# VARIANT   of .variants
#
# A drill attacks and looks, from the host's side, at what came of it.  It ends
# with "escaped" or "refused WHO"; with neither it has failed.  What it started
# and left is ended by the runner.
# shellcheck disable=SC2317 # what is sourced calls the functions
set -u
exec </dev/null
STATE=$D/state
DB=$STATE/agsbx.db
ATTACK=$B/agsbx-attack

escaped()
{
	printf '\nescaped\n'
	exit 0
}
# refused ERRNO | nothing | policy | violation | noticed | launch CONTROL
refused()
{
	printf '\nrefused %s\n' "$*"
	exit 0
}
lost()
{
	printf '%s\n' "$*" >&2
	exit 1
}

agsbx()
{
	"$B/agsbx-test" "$@"
}
# job ARG...: agsbx run ARG..., as this host can; it replaces the (sub)shell.
job()
{
	exec "$B/agsbx-test" run --state-dir "$STATE" \
	    ${WAIVERS:+"--allow-degraded=$WAIVERS"} "$@"
}
# sql TEXT: what the ledger says, read by another program.
sql()
{
	sqlite3 -cmd '.timeout 10000' "$DB" "$1"
}
# until_true SECONDS COMMAND...: tries it 20 times a second.
until_true()
{
	local i n=$(($1 * 20))
	shift
	for ((i = 0; i < n; i++)); do
		! "$@" || return 0
		sleep 0.05
	done
	return 1
}
# says_up FILE: the last that was started has said "up" there; false: it has
# ended, or is late.
says_up()
{
	local pid=$!
	until_true 10 eval "grep -q up '$1' || ! kill -0 $pid 2>/dev/null"
	grep -q up "$1"
}
# moves FILE: it still grows, 1.2 s from now.
moves()
{
	local before
	before=$(stat -c %s "$1" 2>/dev/null)
	sleep 1.2
	[ "$(stat -c %s "$1" 2>/dev/null)" != "$before" ]
}
# said FILE: who refused it, from the words of agsbx in FILE.
said()
{
	local control
	control=$(sed -n '/started as root/d; s/^agsbx: \(refused: \)\?\([a-z_]*\)[: ].*/\2/p' "$1" |
	    head -1)
	[ -n "$control" ] || lost "$(cat "$1")"
	refused "launch $control"
}
# verdict COUNT OF WHO...: all that were tried got out, or none; what is
# between is neither.
verdict()
{
	local count=$1 of=$2
	shift 2
	[ "$count" -ne "$of" ] || escaped
	[ "$count" -eq 0 ] || { [ -z "${AGSBX_ABLATE:-}" ] && escaped; }
	[ "$count" -eq 0 ] || lost "$count of $of got out"
	refused "$@"
}

case $1 in
lc_*) . "${0%/*}/drill_lifecycle.sh" ;;
lb_*) . "${0%/*}/drill_broker.sh" ;;
tn_*) . "${0%/*}/drill_tenant.sh" ;;
fs_* | ns_* | nw_* | ps_*) . "${0%/*}/drill_host.sh" ;;
esac
"$1"
lost "$1 has come to no verdict"
