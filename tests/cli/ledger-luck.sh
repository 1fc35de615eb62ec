#!/bin/bash
# Bad luck with the ledger's file: whatever is wrong is told in one line that
# names it, and nothing runs.
# shellcheck disable=SC2317 # functions are called inside the namespace
. "$(dirname "$0")/../lib.sh"
need sqlite3

DB=$AGSBX_STATE_DIR/agsbx.db

# refused PATTERN: run and recover end with 1 and one line; nothing ran.
refused()
{
	job -- touch /tmp/ran
	want_rc 1
	want_err_re "$1"
	[ "$(wc -l <"$T/err")" = 1 ] || fail "not one line: $(cat "$T/err")"
	[ ! -s "$T/out" ] || fail "stdout: $(cat "$T/out")"
}
fresh()
{
	chmod -R u+rwX "$AGSBX_STATE_DIR" 2>/dev/null
	rm -rf "$AGSBX_STATE_DIR"
	agsbx run -q "${WAIVE[@]}" -- true
	want_rc 0
}

t "a damaged page"
fresh
page=$(sqlite3 "$DB" "SELECT rootpage FROM sqlite_schema WHERE name = 'events'")
sqlite3 "$DB" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
size=$(sqlite3 "$DB" 'PRAGMA page_size')
head -c "$size" /dev/urandom |
    dd of="$DB" bs="$size" seek=$((page - 1)) conv=notrunc 2>/dev/null
refused 'agsbx.db: is damaged; move it'
agsbx audit
want_rc 1
want_out_re '^broken: the file is damaged: '

t "a file that was cut"
fresh
sqlite3 "$DB" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
rm -f "$DB-wal" "$DB-shm"
truncate -s 5000 "$DB"
refused 'agsbx.db: '
fresh
sqlite3 "$DB" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
: >"$DB"
agsbx run -q "${WAIVE[@]}" -- true
want_rc 0 # an empty file is a ledger that is not made yet

t "a read-only file"
if [ "$(id -u)" -eq 0 ]; then
	skip "root can write it"
else
	fresh
	chmod 400 "$DB"
	refused 'agsbx.db: is read-only; make it, its -wal and -shm and its directory writable'
	chmod 600 "$DB"
	rm -f "$DB-wal" "$DB-shm"
	chmod 500 "$AGSBX_STATE_DIR"
	refused "$AGSBX_STATE_DIR"
	chmod 700 "$AGSBX_STATE_DIR"
fi

t "a lock that is no plain file"
fresh
rm "$AGSBX_STATE_DIR/agsbx.lock"
mkfifo "$AGSBX_STATE_DIR/agsbx.lock"
refused "$AGSBX_STATE_DIR/agsbx.lock: is not a plain file, or was just replaced"

t "a directory that is missing and cannot be made"
agsbx run "${WAIVE[@]}" --state-dir /proc/nowhere/state -- true
want_rc 1
want_err_re '^agsbx: cannot make /proc/nowhere for the ledger: '

t "a directory that is no directory"
: >"$T/file"
agsbx run "${WAIVE[@]}" --state-dir "$T/file" -- true
want_rc 1
want_err_re "^agsbx: $T/file: is not a directory"

# A small filesystem of our own, in a user and mount namespace.
cat >"$T/small.sh" <<'EOF'
set -e
mkdir -p "$T/small"
mount -n -t tmpfs -o "size=$1,mode=700" small "$T/small"
shift
export AGSBX_STATE_DIR=$T/small/state
"$@"
EOF
fill()
{
	cat /dev/zero >"$T/small/filler" 2>/dev/null
	[ "$(stat -f -c %a "$T/small")" = 0 ]
}
full_at_start()
{
	mkdir "$AGSBX_STATE_DIR"
	fill || return 9
	"$AGSBX" run "${WAIVE[@]}" -- touch /tmp/ran
}
full_later()
{
	"$AGSBX" run -q "${WAIVE[@]}" -- true || return 9
	fill || return 9
	"$AGSBX" run "${WAIVE[@]}" -- touch /tmp/ran
}
full_meanwhile()
{
	mkfifo "$T/go"
	"$AGSBX" run --json "${WAIVE[@]}" -- \
	    bash -c 'echo runs >&2; read line; echo done' \
	    >"$T/document" 2>"$T/runs" <"$T/go" &
	exec 7>"$T/go"
	until "$AGSBX" jobs --json | grep -q '"running"'; do sleep 0.05; done
	fill || return 9
	echo >&7
	exec 7>&-
	wait $!
	echo "exit $?"
	cat "$T/runs" >&2
	grep -o '"state": "error"\|"stdout": "done[^"]*"' "$T/document"
	rm "$T/small/filler"
	"$AGSBX" recover
	"$AGSBX" audit
}
export -f fill full_at_start full_later full_meanwhile
export AGSBX T

# small SIZE FUNCTION: leaves RC, $T/out, $T/err.
small()
{
	timeout -k 3 100 unshare --user --map-current-user --keep-caps --mount \
	    env -u BASH_ENV bash -c '. "$T/small.sh"' "$T/small.sh" "$1" \
	    bash -c "WAIVE=(${WAIVE[*]}); $2" >"$T/out" 2>"$T/err" </dev/null
	RC=$?
}

t "a filesystem that is full at the start"
small 1M true
if [ "$RC" != 0 ]; then
	skip "no filesystem of our own here: $(head -1 "$T/err")"
	finish
fi
small 256K full_at_start
want_rc 1
want_err_re 'its filesystem or quota is full; free some space'
[ "$(wc -l <"$T/err")" = 1 ] || fail "not one line: $(cat "$T/err")"

t "one that is full later"
small 1M full_later
want_rc 1
want_err_re 'agsbx.db: its filesystem or quota is full; free some space'

t "one that fills while a job runs"
small 1M full_meanwhile
want_out_re '^exit 1$'
want_out_re '^"state": "error"$'
want_out_re '^"stdout": "done'
want_err_re 'job .* succeeded, but its row cannot be written: .*agsbx.db: its filesystem or quota is full.*; if it is still open, "agsbx recover" closes it'
want_out_re '^1 reaped, 0 live, 0 failed$'
want_out_re '^intact: '

finish
