#!/bin/bash
# Started as root: agsbx becomes somebody else, says so, and keeps its state in
# a directory that it made.  Needs root; run.sh starts it in its suite "root".
. "$(dirname "$0")/../lib.sh"

if [ "$(id -u)" -ne 0 ]; then
	t "root"
	skip "only root can be dropped"
	finish
fi

t "it says as whom it runs, also with -q and --json"
job -q -- true
want_rc 0
want_err_re '^agsbx: started as root: running as (agsbx|nobody)'
[ "$(wc -l <"$T/err")" -eq 1 ] || fail "$(cat "$T/err")"
job --json -- true
want_err_re '^agsbx: started as root: '
want_json 'd["host"]["uid"]' 0

t "the state directory is made and given away"
owner=$(stat -c %U "$AGSBX_STATE_DIR")
case $owner in agsbx | nobody) ;; *) fail "it belongs to $owner" ;; esac
[ "$(stat -c %a "$AGSBX_STATE_DIR")" = 700 ] || fail "its mode"

t "the directories above it let that account through, whatever the umask is"
(umask 077 && exec "$AGSBX" run "${WAIVE[@]}" -q \
    --state-dir "$T/new/deep/state" -- true 2>"$T/err" </dev/null)
RC=$?
want_rc 0
[ "$(stat -c %a%u "$T/new/deep")" = 7110 ] || fail "$(stat "$T/new/deep")"

t "a directory of root's is not taken over"
mkdir -m 700 "$T/mine"
job --state-dir "$T/mine" -- true
want_rc 1
want_err_re 'does not belong to'

t "one that the account cannot come to is not made"
mkdir -m 700 "$T/closed"
job --state-dir "$T/closed/state" -- true
want_rc 1
want_err_re "^agsbx: $T/closed/state: cannot be reached by .*Permission denied"
[ ! -e "$T/closed/state" ] || fail "it was made"

t "what is bound is looked at as that account, and never as root"
mkdir -m 700 "$T/roots"
python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$T/roots/socket"
job --bind-ro "$T/roots:/r" -- true
want_rc 1
want_err_re "--bind-ro: $T/roots: no job of this account could read it: Perm"
chmod 755 "$T/roots"
job --bind-ro "$T/roots:/r" -- true
want_rc 1
want_err_re "$T/roots/socket: it is a socket"

t "no process of the job is root on the host"
job -q -- cat /proc/self/uid_map
want_rc 0
want_out_re ' 1000 +0 +1$'

t "FILE and policy may be root's own"
echo 'print("closed")' >"$T/closed.py" && chmod 600 "$T/closed.py"
printf '[limits]\nwall = 5s\n' >"$T/p.conf" && chmod 600 "$T/p.conf"
job -q --policy "$T/p.conf" "$T/closed.py"
want_rc 0
want_out closed

t "doctor, jobs and recover as root"
agsbx doctor
want_rc 0 3
agsbx jobs --json
want_json 'len(d["jobs"]) > 0' true
agsbx recover
want_rc 0

t "root's own doctor --attack: none gets out of what it became"
if [ -n "${GCOV_PREFIX:-}" ]; then
	skip "a confined doctor cannot write its counters"
else
	agsbx doctor --attack --json "${WAIVE[@]}"
	want_rc 0
	want_json 'd["attack"]["escaped"] + d["attack"]["unanswered"]' 0
	want_json 'd["attack"]["contained"] >= 60' true
	agsbx audit
	want_rc 0
fi

finish
