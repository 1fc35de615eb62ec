#!/bin/bash
# Signals, closed pipes and sudden death: the row is settled, nothing is left.
. "$(dirname "$0")/../lib.sh"

MARK=$$$RANDOM

# in_background ARG...: a job; PID is agsbx's own.  It is running when it
# has said so.
in_background()
{
	rm -f "$T/out" "$T/err"
	# Not through the functions: $! must be agsbx.
	python3 - "$AGSBX" run "${WAIVE[@]}" "$@" <<'PY' &
import os, signal, sys
for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(s, signal.SIG_DFL)  # the shell ignores INT for us
os.execv(sys.argv[1], sys.argv[1:])
PY
	PID=$!
}
wait_for()
{
	local i
	for ((i = 0; i < 100; i++)); do
		grep -qs "$1" "$2" && return 0
		sleep 0.05
	done
	fail "no '$1' in $2"
}
last_row()
{
	agsbx jobs --limit 1 --json
}

for sig in INT TERM HUP; do
	t "SIG$sig ends the job, settles the row, and is re-raised"
	in_background -- bash -c "echo up; exec sleep 7$MARK" \
	    >"$T/bg.out" 2>"$T/bg.err"
	wait_for up "$T/bg.out"
	start=$(date +%s%N)
	kill -s "$sig" "$PID"
	wait "$PID"
	RC=$?
	MS=$((($(date +%s%N) - start) / 1000000))
	want_rc $((128 + $(kill -l "$sig")))
	want_ms_below 2000
	want_gone "sleep 7$MARK"
	last_row
	want_json 'd["jobs"][0]["state"]' killed
	want_json 'd["jobs"][0]["verdict"]["reason"]' interrupted
done

t "a job that ignores TERM is killed after a second"
in_background -- bash -c "trap '' TERM; echo up; while :; do sleep 0.2; done" \
    >"$T/bg.out" 2>"$T/bg.err"
wait_for up "$T/bg.out"
start=$(date +%s%N)
kill -TERM "$PID"
wait "$PID"
RC=$?
MS=$((($(date +%s%N) - start) / 1000000))
want_rc 143
want_ms_below 2500
[ "$MS" -ge 900 ] || fail "no grace: $MS ms"

t "a second signal kills at once"
in_background -- bash -c "trap '' TERM; echo up; while :; do sleep 0.2; done" \
    >"$T/bg.out" 2>"$T/bg.err"
wait_for up "$T/bg.out"
start=$(date +%s%N)
kill -TERM "$PID"
sleep 0.1
kill -TERM "$PID"
wait "$PID"
RC=$?
MS=$((($(date +%s%N) - start) / 1000000))
want_rc 143
want_ms_below 900

t "a closed stdout ends the job by SIGPIPE"
set -o pipefail
LIMIT=20 timeout 20 "$AGSBX" run "${WAIVE[@]}" -q -- yes 2>"$T/err" |
    head -1 >"$T/out"
RC=${PIPESTATUS[0]}
set +o pipefail
want_rc 141
want_out y
last_row
want_json 'd["jobs"][0]["verdict"]["reason"]' interrupted

# Nothing is written any more that could fail.
for json in "" --json; do
	t "a closed stdout ends a job that is silent${json:+ ($json)}"
	start=$(date +%s%N)
	set -o pipefail
	LIMIT=20 timeout 20 "$AGSBX" run "${WAIVE[@]}" -q $json -- \
	    sleep "4$MARK" 2>"$T/err" | (sleep 0.5)
	RC=${PIPESTATUS[0]}
	set +o pipefail
	MS=$((($(date +%s%N) - start) / 1000000))
	want_rc 141
	want_ms_below 3000
	want_gone "sleep 4$MARK"
	last_row
	want_json 'd["jobs"][0]["verdict"]["reason"]' interrupted
done

for who in broker launcher; do
	t "SIGKILL of the $who leaves no process; recover closes the row"
	in_background -- bash -c "(setsid sleep 8$MARK &) ; echo up; \
	    sleep 8$MARK" >"$T/bg.out" 2>"$T/bg.err"
	wait_for up "$T/bg.out"
	if [ "$who" = broker ]; then
		kill -KILL "$PID"
	else
		kill -KILL "$(pgrep -P "$PID" | head -1)"
	fi
	wait "$PID" 2>/dev/null
	want_gone "sleep 8$MARK"
	agsbx recover
	want_rc 0
	[ "$who" = launcher ] || want_out_re '^1 reaped, 0 live, 0 failed$'
	last_row
	if [ "$who" = broker ]; then
		want_json 'd["jobs"][0]["state"]' reaped
	else
		want_json 'd["jobs"][0]["state"]' error
	fi
done

t "a stopped launcher cannot keep the job beyond its clock"
in_background --wall 1 -- bash -c "echo up; exec sleep 9$MARK" \
    >"$T/bg.out" 2>"$T/bg.err"
wait_for up "$T/bg.out"
kill -STOP "$(pgrep -P "$PID" | head -1)"
wait "$PID"
RC=$?
want_rc 2
want_gone "sleep 9$MARK"
last_row
want_json 'd["jobs"][0]["verdict"]["reason"]' wall

t "a stopped broker cannot keep the job beyond its clock"
in_background --wall 1 -- bash -c "echo up; exec sleep 6$MARK" \
    >"$T/bg.out" 2>"$T/bg.err"
wait_for up "$T/bg.out"
kill -STOP "$PID"
want_gone "^sleep 6$MARK"
kill -CONT "$PID"
wait "$PID"
RC=$?
want_rc 2
last_row
want_json 'd["jobs"][0]["verdict"]["reason"]' wall

t "a closed terminal ends the job, and the row is settled"
python3 - "$AGSBX" run "${WAIVE[@]}" -- bash -c "echo up; exec sleep 5$MARK" \
    <<'PY' >"$T/bg.out" 2>&1
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
while b"up" not in seen:
    seen += os.read(terminal, 100)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
[ "$(cat "$T/bg.out")" = -1 ] || fail "not SIGHUP: $(cat "$T/bg.out")"
want_gone "sleep 5$MARK"
last_row
want_json 'd["jobs"][0]["state"]' killed
want_json 'd["jobs"][0]["verdict"]["reason"]' interrupted

t "a while-read loop keeps its list"
printf 'a\nb\nc\n' >"$T/list"
while read -r line; do
	"$AGSBX" run -q "${WAIVE[@]}" -- echo "$line"
done <"$T/list" >"$T/out" 2>"$T/err"
want_out $'a\nb\nc'
printf 'a\nb\nc\n' | while read -r line; do
	"$AGSBX" run -q "${WAIVE[@]}" -- head -c 0
	echo "$line"
done >"$T/out" 2>"$T/err"
want_out $'a\nb\nc'

t "children of the process that became agsbx are not waited for"
start=$(date +%s%N)
bash -c 'sleep 5 & exec "$@"' bash "$AGSBX" run -q "${WAIVE[@]}" -- true \
    >/dev/null 2>"$T/err" </dev/null
RC=$?
MS=$((($(date +%s%N) - start) / 1000000))
want_rc 0
want_ms_below 3000

finish
