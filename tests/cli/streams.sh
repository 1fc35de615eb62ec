#!/bin/bash
# What a job or a caller may do to the streams between them: agsbx waits for
# them without a spin, and its own words stay readable.
. "$(dirname "$0")/../lib.sh"

# quiet KIND CODE: runs CODE with one end of KIND as its stdin; a line comes
# later.  The processor time of all must be far below the 2 s that it takes.
quiet()
{
	python3 - "$1" "$AGSBX" run -q "${WAIVE[@]}" -c "$2" <<'PY' \
	    >"$T/out" 2>"$T/err"
import os, resource, socket, subprocess, sys, time
stdin, ours, stdout = None, None, None
if sys.argv[1] == "pipe":
    stdin, ours = os.pipe()
elif sys.argv[1] == "socket":
    stdin, ours = (s.detach() for s in socket.socketpair())
else:
    stdin = os.open("/dev/null", os.O_RDONLY)
    stdout = os.open("/dev/null", os.O_PATH)
job = subprocess.Popen(sys.argv[2:], stdin=stdin, stdout=stdout)
time.sleep(0.5)
if ours is not None:
    os.write(ours, b"line\n")
rc = job.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(rc, int((used.ru_utime + used.ru_stime) * 1000))
PY
	read -r RC MS <"$T/out"
	want_rc 0
	want_ms_below 500
}

FILLS='
import os, time
fd = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
try:
    while True: os.write(fd, bytes(4096))
except BlockingIOError:
    time.sleep(2)'

for kind in pipe socket; do
	t "a job that fills its own stdin keeps nothing busy ($kind)"
	quiet "$kind" "$FILLS"
done

t "a stdout that cannot be polled keeps nothing busy"
quiet path 'import time; time.sleep(2)'

t "a stdin whose peer goes away rudely has ended"
python3 - "$AGSBX" run -q "${WAIVE[@]}" -- sh -c 'cat; echo done' <<'PY' \
    >"$T/out" 2>"$T/err"
import socket, subprocess, sys
stdin, peer = socket.socketpair()
stdin.send(b"unread")  # closed with this, the peer resets
peer.send(b"said\n")
job = subprocess.Popen(sys.argv[1:], stdin=stdin, stdout=subprocess.PIPE)
print(job.stdout.readline().decode(), end="")
peer.close()
print(job.stdout.read().decode(), end="")
sys.exit(job.wait())
PY
RC=$?
want_rc 0
want_out $'said\ndone'

t "no job conceals the words that follow it, on a terminal that was stopped"
python3 - "$AGSBX" run "${WAIVE[@]}" --wall 0.3 -- \
    sh -c 'printf "\033[8m" >&2; exec yes >&2' <<'PY' >"$T/out" 2>"$T/err"
import os, pty, subprocess, sys, time
ours, terminal = pty.openpty()
job = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=terminal)
os.close(terminal)
time.sleep(3.5)  # its output is given up meanwhile
seen = b""
try:
    while chunk := os.read(ours, 65536):
        seen += chunk
except OSError:
    pass  # the terminal's end is EIO
words = seen.index(b"agsbx: job ")
print(seen.index(b"\033[8m") < seen.index(b"\033[0m") < words)
sys.exit(job.wait())
PY
RC=$?
want_rc 2
want_out True

finish
