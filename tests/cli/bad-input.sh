#!/bin/bash
# Bad input: one clear line, exit 1, nothing run, nothing half written.  Started
# by root as well: there, beside the line that says so.
. "$(dirname "$0")/../lib.sh"

# refused_with REGEX ARG...: exit 1, one line that says it, no row.
refused_with()
{
	local words=$1 lines
	shift
	agsbx "$@"
	want_rc 1
	want_err_re "$words"
	[ ! -s "$T/out" ] || fail "stdout: $(head -c 100 "$T/out")"
	lines=$(grep -cvE '^(Try |agsbx: started as root: )' "$T/err")
	[ "$lines" -eq 1 ] || fail "$lines lines: $(cat "$T/err")"
}
no_row()
{
	[ ! -e "$AGSBX_STATE_DIR/agsbx.db" ] || fail "a ledger was made"
}

t "unknown and abbreviated options"
refused_with 'unknown option --bogus' run --bogus -c 1
refused_with 'unknown option --wal' run --wal 3 -c 1
refused_with 'unknown option --allow-degrade' run --allow-degrade -c 1
refused_with 'unknown option --collect' run --collect -c 1
refused_with 'unknown option -x' run -x -c 1
refused_with '--state-dir goes with --attack alone' doctor --state-dir /tmp
want_err_re "^Try 'agsbx doctor --help'\.$"
no_row

t "unknown commands"
refused_with 'unknown command frob' frob
refused_with 'unknown option --frob' --frob
refused_with 'no command given'
want_err_re "^Try 'agsbx --help'\.$"

t "nothing to run"
refused_with 'nothing to run' run
refused_with 'nothing to run' run --
refused_with '-c needs a value' run -c
refused_with 'needs a value' run --wall

for value in -1 0 abc 1e99 99999999999999999999 infinity inf nan '' ' 5' 5x \
    5sx 0.0001ms 8d 169h 0x10 +3 .; do
	t "--wall '$value'"
	refused_with '--wall' run "--wall=$value" -c 1
done
for flag in --memory-mb --max-procs --nofile --scratch --max-file \
    --max-output; do
	for value in -1 0 1e9 99999999999999999999 12Q; do
		t "$flag $value"
		refused_with "$flag" run "$flag" "$value" -c 1
	done
done
no_row

t "unknown language"
refused_with 'unknown language "cobol"' run --lang cobol -c 1

t "unknown waivers and those of the floor"
refused_with 'unknown control "frob"' run --allow-degraded=frob -c 1
refused_with 'seccomp|plan_filter' run --allow-degraded=plan_filter -c 1
refused_with 'netns' run --allow-degraded=memory,netns -c 1

t "unknown network"
refused_with 'network|access' run --network=proxy -c 1

t "an environment variable that is not set"
refused_with 'AGSBX_TEST_UNSET' run --allow-env AGSBX_TEST_UNSET -c 1
t "a loader hijack"
refused_with 'LD_PRELOAD' run --allow-env LD_PRELOAD=/x -c 1

t "a directory with a unix socket"
mkdir -p "$T/shown/below"
python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$T/shown/below/s"
for flag in --bind --bind-ro; do
	refused_with 'shown/below/s: it is a socket' run $flag "$T/shown:/x" -c 1
done
no_row

t "tenants"
long=$(printf 'x%.0s' {1..300})
for name in 'a"b' "a'b" 'a/b' '../x' $'a\nb' "$long" '' .a -a 'a b' $'\xff'; do
	refused_with '--tenant' run --tenant "$name" -c 1
done
no_row

t "more arguments than a plan can carry"
refused_with 'at most 98304' run -- echo "$(printf 'x%.0s' {1..99000})"
no_row

t "FILE"
refused_with 'nofile.py' run "$T/nofile.py"
refused_with 'directory' run "$T"
mkfifo "$T/fifo"
refused_with 'fifo' run "$T/fifo"
if [ "$(id -u)" -ne 0 ]; then
	echo 'print(1)' >"$T/closed.py" && chmod 000 "$T/closed.py"
	refused_with 'closed.py.*denied' run "$T/closed.py"
fi

t "policy files name file, line and word"
printf '[limits]\nmemroy = 1G\n' >"$T/p.conf"
refused_with "p.conf:2: .*memroy.*did you mean \"memory\"" \
    run --policy "$T/p.conf" -c 1
printf '[limits]\nwall = 5q\n' >"$T/p.conf"
refused_with 'p.conf:2: ' run --policy "$T/p.conf" -c 1
printf '[frob]\nx = 1\n' >"$T/p.conf"
refused_with 'p.conf:2: .*frob' run --policy "$T/p.conf" -c 1
refused_with 'nopolicy' run --policy "$T/nopolicy" -c 1
printf '[ceiling]\nwall = 5s\n' >"$T/p.conf"
refused_with 'p.conf:2' run --policy "$T/p.conf" --wall 6 -c 1
no_row

t "control characters of argv are never printed raw"
agsbx run $'--\e[31mred' -c 1
want_rc 1
! grep -q $'\e' "$T/err" || fail "a raw escape reached stderr"

t "a ledger that cannot be written"
if [ "$(id -u)" -eq 0 ]; then
	skip "root can write everywhere"
else
	mkdir "$T/ro" && chmod 555 "$T/ro"
	refused_with "$T/ro" run "${WAIVE[@]}" --state-dir "$T/ro/s" -c 1
fi

t "a corrupt ledger"
mkdir -m 700 "$T/corrupt"
head -c 8192 /dev/urandom >"$T/corrupt/agsbx.db"
chmod 600 "$T/corrupt/agsbx.db"
# What belongs to root is none of the account's that agsbx becomes.
[ "$(id -u)" -ne 0 ] ||
    chown -R "$(id -un agsbx 2>/dev/null || echo nobody)" "$T/corrupt"
refused_with 'corrupt/agsbx.db' run "${WAIVE[@]}" --state-dir "$T/corrupt" \
    -c 'print(1)'

t "a ledger of a newer schema"
job --state-dir "$T/newer" -- true
want_rc 0
python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("PRAGMA user_version=99999")
db.commit()' "$T/newer/agsbx.db"
refused_with 'newer|99999' run "${WAIVE[@]}" --state-dir "$T/newer" -c 1

t "--json-fd that is not open"
refused_with '--json-fd' run --json-fd 77 -c 1
refused_with '--json-fd' run --json-fd 0 -c 1
refused_with '--json-fd' run --json-fd x -c 1

finish
