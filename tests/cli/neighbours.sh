#!/bin/bash
# What jobs of one account share through the kernel, whatever tenant they are of:
# one of them must not be able to keep the others from running.
. "$(dirname "$0")/../lib.sh"

# The kernel counts the descriptors that an account has in flight, and holds them
# against the soft limit of whoever sends one more.
t "descriptors in flight of another job stop nobody"
if [ "$(id -u)" -eq 0 ]; then
	skip "the kernel does not hold root to it"
else
	mkfifo "$T/up" "$T/over"
	"$AGSBX" run -q "${WAIVE[@]}" --nofile 300 -c '
import array, os, socket, sys
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
some = array.array("i", [a.fileno()] * 100)
for i in range(3):
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, some)])
print("up", flush=True)
sys.stdin.readline()' <"$T/over" >"$T/up" 2>"$T/holder" &
	exec 7>"$T/over"
	exec 8<"$T/up" # a reader that goes would end the job
	read -r word <&8
	[ "$word" = up ] || fail "none is in flight: $(cat "$T/holder")"
	(ulimit -S -n 200 && exec "$AGSBX" run -q "${WAIVE[@]}" -- true) 2>"$T/err"
	RC=$?
	want_rc 0
	(ulimit -n 200 && exec "$AGSBX" run -q "${WAIVE[@]}" -- true) 2>"$T/err"
	RC=$?
	want_rc 1
	want_err_re 'cannot send the plan: .*hold more descriptors than the hard limit of open files \(ulimit -H -n\)'
	echo >&7
	exec 7>&-
	wait $!
	exec 8<&-
fi

finish
