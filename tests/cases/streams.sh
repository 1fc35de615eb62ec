#!/bin/bash
# Output and time: nothing is lost, nothing waits for ever.
. "$(dirname "$0")/../lib.sh"

t a mebibyte on each stream, past every pipe buffer
LIMIT=40 job -q --wall 30 -c '
import sys
for _ in range(32):
    sys.stderr.write("e" * 32768)
    sys.stdout.write("o" * 32768)
    sys.stderr.flush()
    sys.stdout.flush()'
want_rc 0
want_ms_below 20000
[ "$(tr -d o <"$T/out" | wc -c)" -eq 0 ] || fail "foreign bytes on stdout"
[ "$(wc -c <"$T/out")" -eq 1048576 ] || fail "stdout has $(wc -c <"$T/out")"
[ "$(tr -cd e <"$T/err" | wc -c)" -ge 1048576 ] || fail "stderr is short"

t what was printed before the deadline arrives
LIMIT=25 job --wall 2 -c '
import time
print("before", flush=True)
time.sleep(50)'
want_rc 2
want_out before
want_ms_below 8000
want_err_re 'wall'

t the deadline is the reason in JSON
LIMIT=25 job --json --wall 1 -- sleep 50
want_rc 2
want_json 'd["verdict"]["reason"]' wall
want_json 'd["state"]' killed

t a job that ignores every signal still ends
LIMIT=25 job --json --wall 1 -- bash -c 'trap "" TERM INT HUP QUIT
while :; do sleep 0.2; done'
want_rc 2
want_json 'd["verdict"]["reason"]' wall
want_ms_below 9000

t a job that stops itself still ends
LIMIT=25 job --json --wall 1 -- bash -c 'kill -STOP $$; echo resumed'
want_rc 2
want_json 'd["verdict"]["reason"]' wall
want_ms_below 9000

t stdin reaches the job whole
seq 20000 >"$T/numbers"
STDIN=$T/numbers job -q -- sha256sum
want_rc 0
want_out "$(sha256sum <"$T/numbers")"

t a program on stdin
echo 'print(sum(range(10)))' >"$T/program"
STDIN=$T/program job -q -
want_rc 0
want_out 45

t CPU time of all processes together is bounded
LIMIT=50 job --json --cpu 2 --wall 40 -c '
import os, time
children = []
for _ in range(4):
    pid = os.fork()
    if pid == 0:
        while time.process_time() < 1.5:
            pass
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
print("all of it")'
want_rc 2
want_json 'd["verdict"]["reason"]' cpu

finish
