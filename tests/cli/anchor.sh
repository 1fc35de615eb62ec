#!/bin/bash
# [ledger] anchor = syslog: each settled row's head is in the system log, from
# where audit takes it; without a log nothing runs.
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
s.settimeout(60)
line = s.recv(4096)
open(os.environ["T"] + "/log", "wb").write(line + b"\n")' &
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
	timeout -k 3 60 unshare --user --map-current-user --keep-caps --mount \
	    bash "$T/inside.sh" "$@" \
	    >"$T/out" 2>"$T/err" </dev/null
	RC=$?
}

t "each settled row writes its head"
within nolog true
if [ "$RC" != 0 ]; then
	skip "no /dev of our own can be made here: $(head -1 "$T/err")"
	finish
fi
within log "$AGSBX" run -q "${WAIVE[@]}" --policy "$T/policy.conf" -- true
want_rc 0
for ((i = 0; i < 100; i++)); do
	[ ! -s "$T/log" ] || break
	sleep 0.05
done
anchor=$(sed -nE 's/^<85>agsbx\[[0-9]+\]: anchor ([0-9]+:[0-9a-f]{64}) job .*/\1/p' \
    "$T/log")
grep -qE "job [0-9A-Z]{26} ledger $AGSBX_STATE_DIR\$" "$T/log" ||
    fail "the log says '$(cat "$T/log")'"

t "audit takes it"
agsbx audit --anchor "$anchor"
want_rc 0
want_out_re '^anchored$'

t "without a log nothing runs"
within nolog "$AGSBX" run "${WAIVE[@]}" --policy "$T/policy.conf" -- true
want_rc 1
want_err_re "policy.conf:2: anchor = syslog: no system log can be written: /dev/log: No such file"
agsbx jobs --json
want_json 'len(d["jobs"])' 1

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
