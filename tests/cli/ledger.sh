#!/bin/bash
# The ledger's file: one of an older schema, and what was done to it from
# outside.  A ledger that cannot be used is refused in one line that names it,
# and nothing runs.
. "$(dirname "$0")/../lib.sh"
DATA=$(realpath "$(dirname "$0")/../data")
need sqlite3

DB=$AGSBX_STATE_DIR/agsbx.db

# old_ledger: the state directory holds three jobs of schema 1 and no more.
old_ledger()
{
	rm -rf "$AGSBX_STATE_DIR"
	mkdir -m 700 "$AGSBX_STATE_DIR"
	sqlite3 "$DB" <"$DATA/ledger-1.sql" || fail "no old ledger"
}
# sql TEXT: what it gives, to compare.
sql()
{
	sqlite3 -cmd '.timeout 5000' "$DB" "$1"
}
want_sql()
{
	local got
	got=$(sql "$1")
	[ "$got" = "$2" ] || fail "$1 gives '$got', not '$2'"
}

t "an older schema is migrated, and a copy is kept"
old_ledger
before=$(sqlite3 "$DB" .dump)
job -q -- true
want_rc 0
want_sql 'PRAGMA user_version' 2
want_sql 'SELECT count(*) FROM jobs' 4
want_sql "SELECT state FROM jobs WHERE n = 3" reaped
[ "$(sqlite3 "$DB.schema-1.1" .dump)" = "$before" ] || fail "no true copy"
[ "$(stat -c %a "$DB.schema-1.1")" = 600 ] || fail "others can read the copy"

t "it is then the schema that a new ledger has"
schema='SELECT type, name, sql FROM sqlite_schema ORDER BY type, name'
migrated=$(sql "$schema")
rm -rf "$AGSBX_STATE_DIR"
job -q -- true
want_rc 0
want_sql "$schema" "$migrated"

t "a second migration overwrites no copy"
old_ledger
echo mine >"$DB.schema-1.1"
agsbx recover
want_rc 0
[ "$(cat "$DB.schema-1.1")" = mine ] || fail "a file was overwritten"
[ -s "$DB.schema-1.2" ] || fail "no copy"

t "half a copy of one that was killed is replaced"
old_ledger
before=$(sqlite3 "$DB" .dump)
echo half >"$DB.schema-1.tmp"
echo half >"$DB.schema-1.tmp-journal"
agsbx recover
want_rc 0
[ "$(sqlite3 "$DB.schema-1.1" .dump)" = "$before" ] || fail "no true copy"
[ "$(find "$AGSBX_STATE_DIR" -name '*.schema-1.*' | wc -l)" = 1 ] ||
    fail "not one copy: $(ls "$AGSBX_STATE_DIR")"

t "whenever it is killed, no half of a copy has its name"
if have strace; then
	for n in 2 6 8 10 12 15 20; do
		old_ledger
		strace -f -o "$T/trace" -e trace=pwrite64 \
		    -e "inject=pwrite64:signal=KILL:when=$n" \
		    "$AGSBX" recover >/dev/null 2>&1
		for copy in "$DB".schema-1.[0-9]*; do
			[ -e "$copy" ] || continue
			[ "$(sqlite3 "$copy" .dump)" = "$before" ] ||
			    fail "write $n: no true copy"
		done
		agsbx recover
		want_rc 0
		[ ! -e "$DB.schema-1.tmp" ] || fail "write $n: half a copy"
	done
fi

t "many at once migrate it once"
old_ledger
for i in 1 2 3 4 5 6; do
	"$AGSBX" recover >"$T/recover.$i" 2>&1 &
done
wait
[ "$(cat "$T"/recover.? | grep -c '^1 reaped')" = 1 ] ||
    fail "$(cat "$T"/recover.?)"
want_sql 'PRAGMA user_version' 2
[ "$(find "$AGSBX_STATE_DIR" -name '*.schema-1.*' | wc -l)" = 1 ] ||
    fail "not one copy: $(ls "$AGSBX_STATE_DIR")"

t "what only reads says which command migrates"
old_ledger
agsbx jobs
want_rc 1
want_err_re "older schema version 1; 'agsbx recover' brings it to 2"
want_sql 'PRAGMA user_version' 1

t "a copy that cannot be made leaves the ledger as it was"
old_ledger
for ((i = 1; i <= 100; i++)); do
	: >"$DB.schema-1.$i"
done
job -- true
want_rc 1
want_err_re 'the copy of a ledger of an older schema cannot be made'
want_sql 'PRAGMA user_version' 1
want_sql 'SELECT count(*) FROM jobs' 3

# hold SECONDS: another process has the write lock for so long; LOCKER.
hold()
{
	python3 -c '
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
db.execute("BEGIN IMMEDIATE")
open(sys.argv[2], "w").close()
time.sleep(float(sys.argv[3]))' "$DB" "$T/locked" "$1" &
	LOCKER=$!
	for ((i = 0; i < 200; i++)); do
		[ ! -e "$T/locked" ] || break
		sleep 0.05
	done
	rm "$T/locked" || fail "the lock was not taken"
}
# ends_by SIGNAL PID: within 5 s, and by that signal.
ends_by()
{
	local start rc
	start=$(date +%s%N)
	kill "-$1" "$2"
	wait "$2"
	rc=$?
	[ "$rc" = $((128 + $(kill -l "$1"))) ] || fail "exit $rc, not by $1"
	MS=$((($(date +%s%N) - start) / 1000000))
	want_ms_below 5000
}

t "a lock of another process is waited for"
rm -rf "$AGSBX_STATE_DIR"
job -q -- true
hold 1
job -q -- true
want_rc 0
wait "$LOCKER"

t "a signal ends that wait, and nothing ran"
hold 30
"$AGSBX" run "${WAIVE[@]}" -- true >"$T/out" 2>"$T/err" &
sleep 0.5
ends_by TERM $!
want_err_re 'agsbx.db: a signal came while another process held it'
kill "$LOCKER"
wait "$LOCKER" 2>/dev/null
want_sql 'SELECT count(*) FROM jobs' 2

t "a job that is ended meanwhile leaves an open row, which recover closes"
"$AGSBX" run -q "${WAIVE[@]}" -- bash -c 'echo runs; exec sleep 60' \
    >"$T/out" 2>"$T/err" &
job_pid=$!
for ((i = 0; i < 100; i++)); do
	[ ! -s "$T/out" ] || break
	sleep 0.1
done
hold 30
ends_by TERM "$job_pid"
kill "$LOCKER"
wait "$LOCKER" 2>/dev/null
want_sql "SELECT state FROM jobs WHERE n = 3" running
agsbx recover
want_rc 0
want_out_re '^1 reaped, 0 live, 0 failed$'

t "a ledger that is moved away or restored meanwhile is no success"
for how in away restored; do
	rm -rf "$AGSBX_STATE_DIR"
	job -q -- true
	sqlite3 "$DB" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	cp "$DB" "$T/backup.db"
	mkfifo "$T/go.$how"
	: >"$T/out"
	"$AGSBX" run "${WAIVE[@]}" -- bash -c 'echo runs; read -r; exit 0' \
	    >"$T/out" 2>"$T/err" <"$T/go.$how" &
	exec 7>"$T/go.$how"
	for ((i = 0; i < 200; i++)); do
		[ ! -s "$T/out" ] || break
		sleep 0.05
	done
	mkdir "$T/$how"
	mv "$AGSBX_STATE_DIR"/agsbx.db* "$T/$how"
	[ "$how" = away ] || cp "$T/backup.db" "$DB"
	echo >&7
	exec 7>&-
	wait $!
	RC=$?
	want_rc 1
	want_err_re 'agsbx.db: was moved, removed or replaced while it was in use'
done

finish
