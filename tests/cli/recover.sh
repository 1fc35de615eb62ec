#!/bin/bash
# What a killed agsbx leaves: nothing of the job, and an open row that recover
# closes; right also where two pid namespaces share a state directory.
. "$(dirname "$0")/../lib.sh"
need sqlite3 pgrep

DB=$AGSBX_STATE_DIR/agsbx.db
want_sql()
{
	local got
	got=$(sqlite3 -cmd '.timeout 5000' "$DB" "$1")
	[ "$got" = "$2" ] || fail "$1 gives '$got', not '$2'"
}
# start MARK: a job that sleeps for MARK seconds, in the background; PID.
start()
{
	: >"$T/out"
	"$AGSBX" run "${WAIVE[@]}" -- bash -c "echo runs; sleep $1; true" \
	    >"$T/out" 2>"$T/err" </dev/null &
	PID=$!
	runs
}
runs()
{
	local i
	for ((i = 0; i < 200; i++)); do
		[ ! -s "$T/out" ] || return 0
		sleep 0.05
	done
	fail "the job did not start: $(cat "$T/err")"
}

t "a directory without a ledger is told: it may be a mistyped one"
for command in recover jobs; do
	agsbx "$command" --state-dir "$T/none"
	want_rc 0
	want_err_re "^agsbx: there is no ledger in $T/none yet$"
done
[ ! -e "$T/none/agsbx.db" ] || fail "it was made"

t "SIGKILL of agsbx in the middle of a job"
start 1001.5
kill -9 "$PID"
wait "$PID" 2>/dev/null
want_gone 'sleep 1001\.5'
want_sql 'SELECT state FROM jobs WHERE n = 1' running
agsbx recover
want_rc 0
want_out_re '^[0-9A-Z]{26} reaped: broker died; no process left$'
want_out_re '^1 reaped, 0 live, 0 failed$'
want_sql 'SELECT state, reason FROM jobs WHERE n = 1' 'reaped|reaped'
want_sql 'PRAGMA integrity_check' ok

t "a second recover finds nothing"
agsbx recover --json
want_rc 0
want_json '[d["schema"], d["jobs"], d["reaped"], d["live"], d["failed"]]' \
    '["agsbx.recover/1", [], 0, 0, 0]'

t "SIGKILL of the launcher is told at once"
start 1002.5
launcher=$(pgrep -P "$PID" -x agsbx-launcher | head -1)
kill -9 "$launcher"
wait "$PID"
RC=$?
want_rc 1
want_gone 'sleep 1002\.5'
want_sql 'SELECT state FROM jobs WHERE n = 2' error

t "SIGSTOP of agsbx, then SIGKILL"
start 1003.5
kill -STOP "$PID"
agsbx recover
want_rc 0
want_out_re '^[0-9A-Z]{26} live: its broker is running$'
kill -9 "$PID"
wait "$PID" 2>/dev/null
want_gone 'sleep 1003\.5'

t "run closes what an earlier crash left"
job -q -- true
want_rc 0
want_sql 'SELECT state FROM jobs WHERE n = 3' reaped

t "a live job stays beside several recovers"
start 1004.5
for i in 1 2 3 4; do
	"$AGSBX" recover >"$T/recover.$i" 2>&1 &
	RECOVERS[i]=$!
done
wait "${RECOVERS[@]}"
[ "$(cat "$T"/recover.? | grep -c '^0 reaped, 1 live, 0 failed$')" = 4 ] ||
    fail "$(cat "$T"/recover.?)"

# Another pid namespace with a /proc of its own, on the same state directory.
WITHIN=(unshare --user --map-current-user --pid --fork --kill-child
    --mount-proc)

t "a live job of another pid namespace stays"
if ! "${WITHIN[@]}" true 2>"$T/err"; then
	kill "$PID"
	wait "$PID" 2>/dev/null
	skip "no pid namespace with a /proc: $(head -1 "$T/err")"
	finish
fi
"${WITHIN[@]}" "$AGSBX" recover >"$T/within" 2>&1
grep -q '^0 reaped, 1 live, 0 failed$' "$T/within" || fail "$(cat "$T/within")"
kill "$PID"
wait "$PID" 2>/dev/null
: >"$T/out"
"${WITHIN[@]}" "$AGSBX" run "${WAIVE[@]}" -- bash -c 'echo runs; sleep 1005.5; true' \
    >"$T/out" 2>"$T/err" </dev/null &
PID=$!
runs
agsbx recover
want_rc 0
want_out_re '^0 reaped, 1 live, 0 failed$'

t "a dead one of another pid namespace is closed, and its numbers say nothing"
kill -9 "$PID"
wait "$PID" 2>/dev/null
want_gone 'sleep 1005\.5'
agsbx recover
want_rc 0
want_out_re '^1 reaped, 0 live, 0 failed$'
agsbx audit
want_rc 0

finish
