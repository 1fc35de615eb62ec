# shellcheck shell=bash disable=SC2153 # drill.sh sets STATE
# drill_broker.sh - a launcher, a job, a caller and a file that lie to agsbx:
# see broker.def.  Sourced by drill.sh.

# ---- what agsbx believes of a launcher (hostile.c) ----

# lies WHAT...: each by itself; none may end in a job that seems to have run.
lies()
{
	local what state believed=0 tried=0
	for what; do
		(AGSBX_HOSTILE=$what job -q -- true 2>"$D/err")
		state=$(sql 'SELECT state FROM jobs ORDER BY n DESC LIMIT 1')
		if [ "$state" != error ]; then
			believed=$((believed + 1))
		elif grep -q 'died while it built' "$D/err"; then
			continue # a control that this plan has not
		elif ! grep -qE 'broke the protocol|is not what was planned' \
		    "$D/err"; then
			lost "$what: $state: $(cat "$D/err")"
		fi
		tried=$((tried + 1))
	done
	[ "$tried" -gt $(($# / 2)) ] || lost "only $tried of $# were judged"
	verdict "$believed" "$tried" violation
}

# An honest one is believed, or the refusals prove nothing.
honest()
{
	(AGSBX_HOSTILE=nothing job -q -- true 2>"$D/err")
	[ "$(sql 'SELECT state FROM jobs')" = succeeded ] ||
	    lost "not even an honest one is believed: $(cat "$D/err")"
}

lb_frame_length()
{
	honest
	lies length=0xffffffff length=0x80000000 length=0 length=15 length=63 \
	    length=65 magic=0 reserved=1
}
lb_frame_type()
{
	honest
	lies type=7 type=99 type=0xffff
}
lb_frame_trunc()
{
	honest
	lies long
}
lb_frame_fds()
{
	honest
	lies fds=1 fds=5 fds=10 fds=11 fds=50
}
lb_frame_slow()
{
	(AGSBX_HOSTILE=silent job -q -- true 2>"$D/err") &
	sleep 13
	! kill -0 $! 2>/dev/null || escaped
	refused noticed
}
# Every row of the table that is off, some of them less in other ways.
lb_held_less()
{
	local how all
	honest
	seq -f 'off=%g' 0 35 >"$D/lies" # some more than there are rows
	for how in pending fault less; do
		seq -f "$how=%g" 2 5 35
	done >>"$D/lies"
	mapfile -t all <"$D/lies"
	lies "${all[@]}"
}
lb_forged_exit()
{
	honest
	lies status=0x137f status=0xffff status=0x10000 status=0x80000000 \
	    flags=16 exec=0xffffffff
}
lb_downgrade()
{
	("$B/agsbx-test" run --state-dir "$STATE" -- true >"$D/out" 2>"$D/err")
	[ "$(sql 'SELECT state FROM jobs')" != succeeded ] || escaped
	said "$D/err"
}

# ---- what a caller's words become ----

# Two tenants with a job each.
two_tenants()
{
	local t
	for t in alice bob; do
		(job -q --tenant "$t" -- true 2>"$D/err") ||
		    lost "$(cat "$D/err")"
	done
}
# lists TENANT: more than there is of a tenant of that name, none.
lists()
{
	two_tenants
	if ! agsbx jobs --state-dir "$STATE" --tenant "$1" \
	    >"$D/out" 2>"$D/err"; then
		grep -q '^agsbx: --tenant: ' "$D/err" || lost "$(cat "$D/err")"
		refused policy
	fi
	! grep -qE 'alice|bob' "$D/out" || escaped
	refused nothing
}
lb_sql()
{
	lists "x' OR '1'='1"
}
lb_sql_like()
{
	lists '%'
}
# A name that is not one; argv cannot hold a NUL.
lb_nul()
{
	local name stored=0 tried=0
	for name in $'a\nb' $'a\e[31mb' $'a\xff' $'a\x7f' 'a b' '../victim' -rf \
	    "$(printf 'x%.0s' {1..300})"; do
		(job -q --tenant "$name" -- true 2>"$D/err") ||
		    grep -q '^agsbx: --tenant' "$D/err" || lost "$(cat "$D/err")"
		tried=$((tried + 1))
	done
	[ ! -e "$DB" ] || stored=$(sql 'SELECT count(*) FROM jobs')
	verdict "$stored" "$tried" policy
}

# ---- what is printed ----

# on_tty COMMAND...: its stdout is a terminal; all that this shows to $D/tty.
on_tty()
{
	TTY=$D/tty python3 -c '
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
with open(os.environ["TTY"], "wb") as out:
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out.write(data)
os.waitpid(pid, 0)' "$@"
}
# Sequences that a terminal acts on: a title, the clipboard, a clear, the C1
# form of CSI, text that runs backwards.
ACTS='\033]0;x\007\033]52;c;YQ==\007\033[2J\302\2332J\342\200\256\010'
judge_tty()
{
	local n=0 raw
	for raw in '\x1b\]0;' '\x1b\]52;' '\x1b\[2J' '\xc2\x9b' '\xe2\x80\xae' \
	    '\x08'; do
		! LC_ALL=C grep -qaP "$raw" "$1" || n=$((n + 1))
	done
	verdict "$n" 6 nothing
}
lb_out_ansi()
{
	if [ -n "$NAKED" ]; then
		on_tty /usr/bin/printf "$ACTS"
	else
		on_tty "$B/agsbx-test" run -q --state-dir "$STATE" \
		    ${WAIVERS:+"--allow-degraded=$WAIVERS"} \
		    -- printf "$ACTS"
	fi
	[ -s "$D/tty" ] || lost "nothing on the terminal"
	judge_tty "$D/tty"
}
# The same in the words of a command, in each place that shows them.
lb_names()
{
	local acts
	# shellcheck disable=SC2059 # it is a format
	acts=$(printf "$ACTS")
	(job -- true "$acts" $'two\nlines' $'\xff' -rf 2>"$D/err")
	agsbx jobs --state-dir "$STATE" >"$D/out" 2>>"$D/err"
	agsbx jobs --state-dir "$STATE" "$(sql 'SELECT id FROM jobs')" \
	    >>"$D/out" 2>>"$D/err"
	(job -- "$acts" 2>>"$D/err")
	cat "$D/err" >>"$D/out"
	if [ -z "${AGSBX_ABLATE:-}" ]; then
		! grep -qx 'lines.*' "$D/out" || escaped
		iconv -f UTF-8 -t UTF-8 "$D/out" >"$D/utf8" 2>&1 || escaped
	fi
	judge_tty "$D/out"
}
# Its output says that it succeeded.
lb_log_forge()
{
	printf '","state":"succeeded","x":"' >"$D/words"
	(job --json -- sh -c 'cat; exit 1' \
	    <"$D/words" >"$D/out" 2>"$D/err")
	case $(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["state"])' "$D/out" 2>>"$D/err") in
	failed) refused nothing ;;
	succeeded) escaped ;;
	*) lost "$(cat "$D/err" "$D/out")" ;;
	esac
}
# It says so on its own stderr, as agsbx would.
lb_closing_line()
{
	local words='agsbx: job 01ABCDEFGHJKMNPQRSTVWXYZ00 succeeded; wall 0.1s'
	(job -- sh -c "echo '$words' >&2; exit 1" 2>"$D/err")
	grep -qx "$words" "$D/err" && escaped
	refused nothing
}
# Bytes that are no text: the document stays one, and they come back whole.
lb_json_bytes()
{
	local n=0 text
	# shellcheck disable=SC1003 # a backslash, for printf
	for text in '\377\376\000\001' '\355\240\200' '\300\200"\\' '\\"\n\033'; do
		(job --json -- printf "$text" >"$D/out" 2>"$D/err")
		python3 -c 'import base64, json, sys
d = json.loads(open(sys.argv[1], "rb").read())
s = d["stdout"]
b = base64.b64decode(s) if d["stdout_encoding"] == "base64" else s.encode()
sys.exit(b != sys.stdin.buffer.read())' "$D/out" \
		    < <(/usr/bin/printf "$text") 2>>"$D/err" || n=$((n + 1))
	done
	[ "$n" -eq 0 ] || escaped
	refused nothing
}

# ---- the ledger's file ----

# A job is shown the ledger: itself, what it lies in, by a link.
lb_ledger_shown()
{
	local dir n=0 tried=0
	(job -q -- true 2>"$D/err") || lost "$(cat "$D/err")"
	ln -s "$STATE" "$D/link"
	for dir in "$STATE" "$D" "$D/link" "$DB"; do
		(job -q --bind "$dir:/shown" -- true 2>"$D/err") && n=$((n + 1))
		tried=$((tried + 1))
	done
	verdict "$n" "$tried" policy
}
# edit TABLE SQL: with the file in his hands somebody changes what its triggers
# forbid, and puts them back.
edit()
{
	local triggers
	triggers=$(sql "SELECT sql || ';' FROM sqlite_schema
	    WHERE type = 'trigger' AND tbl_name = '$1'")
	{
		sql "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_schema
		    WHERE type = 'trigger' AND tbl_name = '$1'"
		echo "$2; $triggers"
	} >"$D/sql"
	sqlite3 -bail "$DB" <"$D/sql" || lost "it cannot be edited"
}
judge_audit()
{
	agsbx audit --state-dir "$STATE" >"$D/out" 2>"$D/err" && escaped
	grep -q '^broken at event ' "$D/out" || lost "$(cat "$D/out" "$D/err")"
	refused noticed
}
# A failure becomes a success.
lb_ledger_edit()
{
	(job -q -- false 2>"$D/err")
	edit jobs 'UPDATE jobs SET exit_code = 0'
	[ "$(sql 'SELECT exit_code FROM jobs')" = 0 ] || lost "not edited"
	judge_audit
}
# It happened at another time.
lb_ledger_event()
{
	(job -q -- true 2>"$D/err")
	edit events 'UPDATE events SET at_ms = 1 WHERE seq = 2'
	[ "$(sql 'SELECT at_ms FROM events WHERE seq = 2')" = 1 ] ||
	    lost "not edited"
	judge_audit
}
lb_ledger_open()
{
	chmod 777 "$STATE"
	(job -q -- true 2>"$D/err") && escaped
	grep -q 'others can write in it' "$D/err" || lost "$(cat "$D/err")"
	refused noticed
}
