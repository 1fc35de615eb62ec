#!/bin/bash
# Whose exit code it is: 0 and 2 are the job's, 1 and 3 are ours.
. "$(dirname "$0")/../lib.sh"

t "0 is a job that ended with 0"
job -- true
want_rc 0
want_err_re '^agsbx: job [0-9A-Z]{26} succeeded'

for status in 1 2 3 124 127 137; do
	t "exit status $status is 2, and told"
	job --json -- bash -c "exit $status"
	want_rc 2
	want_json 'd["exit_code"]' "$status"
	want_json 'd["signal"]' null
	want_json 'd["verdict"]["reason"]' exited
	want_json 'd["state"]' failed
done

t "a signal of its own is 2 and no limit"
job --json -- bash -c 'kill -9 $$'
want_rc 2
want_json 'd["signal"]' 9
want_json 'd["exit_code"]' null
want_json 'd["verdict"]["reason"]' signal
want_json 'd["verdict"]["limits_hit"]' '[]'

t "the wall clock is 2"
job --json --wall 1 -- sleep 30
want_rc 2
want_json 'd["verdict"]["reason"]' wall
want_json 'd["verdict"]["limits_hit"]' '["wall"]'
want_json 'd["state"]' killed
want_ms_below 5000

t "the wall clock ends a job that ignores TERM"
job --json --wall 1 -- bash -c 'trap "" TERM; while :; do sleep 0.1; done'
want_rc 2
want_json 'd["verdict"]["reason"]' wall
want_ms_below 6000

t "CPU time of all processes together is 2"
job --json --cpu 1 --wall 30 -- python3 -c '
import os
for i in range(3): os.fork()
while True: pass'
want_rc 2
want_json 'd["verdict"]["reason"]' cpu

t "too much output is 2, though the job ended with 0"
job --max-output 1K -- bash -c 'head -c 5000 /dev/zero; exit 0'
want_rc 2
want_err_re 'killed: .*--max-output'

t "the closing line names the limit and who set it"
job --wall 0.5 -- sleep 9
want_err_re 'killed: wall clock 500ms \(--wall\); wall [0-9.]+s cpu'

t "a limit that a ceiling lowered is told with its place"
printf '[ceiling]\nwall = 1s\n' >"$T/ceiling.conf"
job --policy "$T/ceiling.conf" -- sleep 20
want_rc 2
want_err_re "killed: wall clock 1s \($T/ceiling.conf:2\)"

t "a command that is nowhere is 2 and named"
job -- nosuch-command
want_rc 2
want_err_re '^agsbx: nosuch-command: not found inside the sandbox$'

t "the same as JSON"
job --json -- nosuch-command
want_rc 2
want_json 'd["verdict"]["reason"]' exec
want_json 'd["state"]' failed
want_json 'd["exit_code"]' null

t "a program of the host only gets a hint"
printf '#!/bin/sh\n' >"$T/tool" && chmod 755 "$T/tool"
job -- "$T/tool"
want_rc 2
want_err_re "not found inside the sandbox; .*tool is a file of the host"

t "a directory cannot be executed"
job -- /usr
want_rc 2
want_err_re '^agsbx: /usr: a directory, or a file that is not executable$'

t "a file that is not executable"
job -- /etc/passwd
want_rc 2
want_err_re '^agsbx: /etc/passwd: '

t "-q leaves errors and drops the closing line"
job -q -- true
want_rc 0
[ ! -s "$T/err" ] || fail "stderr: $(cat "$T/err")"
job -q -- nosuch-command
want_err_re '^agsbx: nosuch-command: '
want_no_err_re '^agsbx: job '

t "output that cannot be passed on is never 0"
"$AGSBX" run -q "${WAIVE[@]}" -- echo x >&- 2>"$T/err"
RC=$?
want_rc 1
want_err_re 'cannot pass on stdout'
"$AGSBX" run -q "${WAIVE[@]}" -- echo x >/dev/full 2>"$T/err"
RC=$?
want_rc 1
"$AGSBX" run --json "${WAIVE[@]}" -- echo x >/dev/full 2>"$T/err"
RC=$?
want_rc 1
want_err_re 'cannot write the output'

t "help and version are on stdout and 0"
for words in --help -h "run --help" "run -h" "doctor --help" "jobs --help" \
    "policy --help" "recover --help" "audit --help" --version -V "run --version"; do
	# shellcheck disable=SC2086 # two words
	agsbx $words
	want_rc 0
	[ -s "$T/out" ] || fail "nothing on stdout: agsbx $words"
	[ ! -s "$T/err" ] || fail "stderr: agsbx $words"
done

finish
