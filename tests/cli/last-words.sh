#!/bin/bash
# Output that is read late or never, and files that may not grow: what is
# permitted arrives, and nothing keeps agsbx when a signal says so.
. "$(dirname "$0")/../lib.sh"

t "all that the limit permits reaches a slow reader"
"$AGSBX" run "${WAIVE[@]}" -q --max-output 300K -- \
    sh -c 'yes | head -c 500000' 2>"$T/err" </dev/null | {
	sleep 3
	wc -c >"$T/count"
}
RC=${PIPESTATUS[0]}
want_rc 2
[ "$(cat "$T/count")" -eq 307200 ] || fail "$(cat "$T/count") bytes"

t "nobody reads the document, and TERM still ends agsbx"
mkfifo "$T/pipe"
exec 5<>"$T/pipe"
"$AGSBX" run "${WAIVE[@]}" --json -c 'print("x" * 500000)' \
    >"$T/pipe" 2>"$T/err" </dev/null 5>&- &
PID=$!
for ((i = 0; i < 100; i++)); do
	agsbx jobs --state succeeded --json
	[ "$(json 'len(d["jobs"])')" = 1 ] && break
	sleep 0.1
done
start=$(date +%s%N)
kill -TERM "$PID"
wait "$PID"
RC=$?
MS=$((($(date +%s%N) - start) / 1000000))
want_rc 143
want_ms_below 1000
exec 5>&-

t "a limit on the size of files is an error and no signal"
(
	ulimit -f 0
	exec "$AGSBX" run "${WAIVE[@]}" -- true >/dev/null 2>/dev/null </dev/null
)
RC=$?
want_rc 1

t "a stdout that may not grow"
(
	ulimit -f 100
	exec "$AGSBX" run "${WAIVE[@]}" -q -- head -c 200000 /dev/zero \
	    2>/dev/null </dev/null >"$T/file"
)
RC=$?
want_rc 1

t "a full disk is told once, a reader that went away not at all"
for command in jobs "jobs --json" recover "recover --json"; do
	read -ra words <<<"$command"
	"$AGSBX" "${words[@]}" >/dev/full 2>"$T/err"
	RC=$?
	want_rc 1
	want_err_re '^agsbx: cannot write the output: No space left'
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail "$command: $(cat "$T/err")"
	mkfifo "$T/gone"
	exec 6<>"$T/gone"
	exec 7>"$T/gone" 6>&-
	rm "$T/gone"
	"$AGSBX" "${words[@]}" >&7 2>"$T/err" 7>&-
	RC=$?
	exec 7>&-
	want_rc 1
	[ ! -s "$T/err" ] || fail "$command: $(cat "$T/err")"
done

t "no job is shown its own ledger"
mkdir -p "$T/data"
job --bind "$T" -- true
want_rc 1
want_err_re '^agsbx: --bind: .* holds the ledger.s directory '
job --bind-ro "$AGSBX_STATE_DIR/agsbx.db:/mnt/db" -- true
want_rc 1
want_err_re '^agsbx: --bind-ro: .* lies in the ledger.s directory '
job -q --bind-ro "$T/data:/mnt" -- true
want_rc 0

t "no job may write what confines the next one"
mkdir -p "$T/data" "$T/own/agsbx"
XDG_CONFIG_HOME=$T/own job --bind "$T/own:/mnt" -- true
want_rc 1
want_err_re '^agsbx: --bind: .* holds the directory of your policy file '
XDG_CONFIG_HOME=$T/own job -q --bind-ro "$T/own:/mnt" -- true
want_rc 0
job --bind "$(dirname "$AGSBX"):/mnt" -- true
want_rc 1
want_err_re '^agsbx: --bind: .* is or holds the directory of agsbx itself '

t "what a job could write to through a read-only bind"
mkfifo "$T/data/pipe"
job --bind-ro "$T/data:/mnt" -- true
want_rc 1
want_err_re '^agsbx: --bind-ro: .*/pipe: it is a named pipe, .*bind a directory without it'
job -q --bind "$T/data:/mnt" -- true
want_rc 0

finish
