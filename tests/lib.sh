# shellcheck shell=bash
# lib.sh - for the scripts of tests/cli and tests/cases; sourced, never run.
#
# A script is a row of tests: "t NAME", then a run of agsbx and what it must
# have done.  Each test prints one line, "ok NAME", "FAIL NAME: why" or
# "SKIP NAME: reason"; "finish" ends the script.
#
# AGSBX   the program under test
# T       a fresh directory, removed at the end; HOME and the state are in it
# WAIVE   the waivers that this host needs for a job to run at all, an array
set -u
AGSBX=${AGSBX:-$(realpath "${B:-build}/agsbx")}
T=$(mktemp -d "${TMPDIR:-/tmp}/agsbx-test.XXXXXX") || exit 1
chmod 755 "$T"
export HOME=$T/home AGSBX_STATE_DIR=$T/state
mkdir "$HOME"
unset XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME
NAME="" PROBLEM="" ANY_FAILED=0
trap 'cd /; chmod -R u+rwX "$T" 2>/dev/null; rm -rf "$T"' EXIT

# Without a memory controller a job is rightly refused: waive that, by name.
WAIVE=()
if "$AGSBX" doctor --json 2>/dev/null </dev/null | python3 -c '
import json, sys
gaps = json.load(sys.stdin)["gaps"]
sys.exit(not any(gap["control"] == "memory" for gap in gaps))
' 2>/dev/null; then
	WAIVE=(--allow-degraded=memory)
fi

end_test()
{
	[ -n "$NAME" ] || return 0
	if [ -z "$PROBLEM" ]; then
		echo "ok $NAME"
	else
		echo "FAIL $NAME: $PROBLEM"
		ANY_FAILED=1
	fi
	NAME="" PROBLEM=""
}

# t NAME: ends the test before it and begins another.
t()
{
	end_test
	NAME="$(basename "$0" .sh): $*"
}

# finish: ends the last test and the script.
finish()
{
	end_test
	exit "$ANY_FAILED"
}

# skip REASON: the current test is not possible here.
skip()
{
	echo "SKIP $NAME: $*"
	NAME="" PROBLEM=""
}

fail()
{
	PROBLEM="${PROBLEM:+$PROBLEM; }${*:-failed without a word}"
}

# have PROGRAM...: true when all are there, else the test is skipped.
have()
{
	local p
	for p; do
		command -v "$p" >/dev/null || { skip "no $p here"; return 1; }
	done
}

# need PROGRAM...: without them the whole script is skipped.
need()
{
	t "all of it"
	have "$@" || finish
	NAME=""
}

# agsbx ARG...: runs it.  Leaves RC, MS (milliseconds), $T/out and $T/err.
# STDIN names its standard input, LIMIT the seconds after which it has hung.
agsbx()
{
	local start
	start=$(date +%s%N)
	timeout -k 3 "${LIMIT:-60}" "$AGSBX" "$@" \
	    >"$T/out" 2>"$T/err" <"${STDIN:-/dev/null}"
	RC=$?
	MS=$((($(date +%s%N) - start) / 1000000))
	case $RC in 124 | 137) fail "hung: agsbx $*" ;; esac
}

# job ARG...: agsbx run ARG..., with the waivers that this host needs.
job()
{
	agsbx run "${WAIVE[@]}" "$@"
}

# What must be true of the run before.
want_rc()
{
	local rc
	for rc; do
		[ "$RC" != "$rc" ] || return 0
	done
	fail "exit $RC, not $*: $(tail -c 300 "$T/err" | tr '\n' ' ')"
}
want_out()
{
	[ "$(cat "$T/out")" = "$1" ] ||
	    fail "stdout is '$(head -c 200 "$T/out")', not '$1'"
}
want_out_re()
{
	grep -qE -- "$1" "$T/out" ||
	    fail "stdout lacks /$1/: '$(head -c 200 "$T/out")'"
}
want_err_re()
{
	grep -qE -- "$1" "$T/err" ||
	    fail "stderr lacks /$1/: '$(head -c 300 "$T/err")'"
}
want_no_err_re()
{
	! grep -qE -- "$1" "$T/err" ||
	    fail "stderr has /$1/: '$(grep -E -m1 -- "$1" "$T/err")'"
}
want_ms_below()
{
	[ "$MS" -lt "$1" ] || fail "took $MS ms, not below $1"
}

# json EXPRESSION: of the one document d on stdout, as text; "" on an error.
json()
{
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
value = eval(sys.argv[2])
print(json.dumps(value) if not isinstance(value, str) else value)
' "$T/out" "$1" 2>"$T/json.err" || head -c 200 "$T/json.err"
}
# want_json EXPRESSION VALUE
want_json()
{
	local got
	got=$(json "$1")
	[ "$got" = "$2" ] || fail "$1 is '$got', not '$2'"
}

# want_gone PATTERN: within 3 s no process has PATTERN in its command line.
want_gone()
{
	local i
	for ((i = 0; i < 30; i++)); do
		pgrep -f -- "$1" >/dev/null || return 0
		sleep 0.1
	done
	fail "still running: $(pgrep -af -- "$1" | head -3 | tr '\n' ' ')"
}
