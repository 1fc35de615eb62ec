#!/bin/bash
# [ledger] anchor = syslog: the head is in the system log before a job runs,
# and when its row is settled or refused; audit takes it from there.  Without a
# log nothing runs.
. "$(dirname "$0")/../lib.sh"
need unshare python3

printf '[ledger]\nanchor = syslog\n' >"$T/policy.conf"

# A /dev of our own in a user and mount namespace, with a log of our own.
cat >"$T/inside.sh" <<'EOF'
set -e
mount -n -n -t tmpfs -o mode=755 dev "$T/dev"
for node in null zero full random urandom tty; do
	: >"$T/dev/$node"
	mount -n --bind "/dev/$node" "$T/dev/$node"
done
mkdir "$T/dev/shm"
mount -n -n --move "$T/dev" /dev
[ "$1" != log ] || {
	python3 -c '
import os, socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("/dev/log")
os.chmod("/dev/log", 0o666)
open(os.environ["T"] + "/ready", "w").close()
s.settimeout(0.2)
log = open(os.environ["T"] + "/log", "wb", buffering=0)
parent = os.getppid()
while True:
    is_last = os.getppid() != parent
    try:
        while True:
            log.write(s.recv(4096) + b"\n")
    except TimeoutError:
        pass
    if is_last:
        break
open(os.environ["T"] + "/done", "w").close()' &
	until [ -e "$T/ready" ]; do sleep 0.05; done
}
shift
exec setpriv --inh-caps=-all --ambient-caps=-all "$@"
EOF
mkdir "$T/dev"
export T

# within log|nolog COMMAND...: leaves RC, $T/out, $T/err.
within()
{
	rm -f "$T/ready" "$T/done"
	timeout -k 3 60 unshare --user --map-current-user --keep-caps --mount \
	    bash "$T/inside.sh" "$@" \
	    >"$T/out" 2>"$T/err" </dev/null
	RC=$?
}

# logged: waits for the end of the log, and takes all anchors from it.
logged()
{
	local i
	for ((i = 0; i < 200; i++)); do
		[ ! -e "$T/done" ] || break
		sleep 0.05
	done
	mapfile -t ANCHORS < <(sed -nE \
	    's/^<85>agsbx\[[0-9]+\]: anchor ([0-9]+:[0-9a-f]{64}) job .*/\1/p' \
	    "$T/log")
}

t "a job that runs and one that is settled write the head"
within nolog true
if [ "$RC" != 0 ]; then
	skip "no /dev of our own can be made here: $(head -1 "$T/err")"
	finish
fi
within log "$AGSBX" run -q "${WAIVE[@]}" --policy "$T/policy.conf" -- true
want_rc 0
logged
[ "${#ANCHORS[@]}" = 2 ] || fail "not two anchors: $(cat "$T/log")"
grep -qE "job [0-9A-Z]{26} ledger $AGSBX_STATE_DIR\$" "$T/log" ||
    fail "the log says '$(cat "$T/log")'"

t "audit takes it"
agsbx audit --anchor "${ANCHORS[1]:-0}"
want_rc 0
want_out_re '^anchored$'
agsbx audit --anchor "${ANCHORS[0]:-0}"
want_rc 0
want_out_re '^anchored up to event 3; the tail of 1 after it is not$'

t "without a log nothing runs"
within nolog "$AGSBX" run "${WAIVE[@]}" --policy "$T/policy.conf" -- true
want_rc 1
want_err_re "policy.conf:2: anchor = syslog: no system log can be written: /dev/log: No such file"
agsbx jobs --json
want_json 'len(d["jobs"])' 1

t "a refusal is anchored as well"
printf '[ledger]\nanchor = syslog\n[tenant *]\njobs-per-hour = 1\n' \
    >"$T/quota.conf"
within log "$AGSBX" run -q "${WAIVE[@]}" --policy "$T/quota.conf" -- true
want_rc 1
want_err_re 'quota jobs-per-hour 1: 1 in use'
logged
agsbx audit --anchor "${ANCHORS[0]:-0}"
want_rc 0
want_out_re '^anchored$'

t "no later file can do without"
printf '[ledger]\nanchor = none\n' >"$T/later.conf"
mkdir -p "$HOME/.config/agsbx"
cp "$T/policy.conf" "$HOME/.config/agsbx/policy.conf"
agsbx policy --json --policy "$T/later.conf"
want_json 'd["anchor"]' syslog
rm "$HOME/.config/agsbx/policy.conf"

t "a place that is none"
printf '[ledger]\nanchor = moon\n' >"$T/later.conf"
agsbx policy --policy "$T/later.conf"
want_rc 1
want_err_re 'later.conf:2: unknown anchor "moon"; it is none or syslog'

finish
