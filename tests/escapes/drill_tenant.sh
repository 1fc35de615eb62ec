# shellcheck shell=bash
# drill_tenant.sh - two jobs of one account that look for each other, or take
# from each other: see tenant.def.  Sourced by drill.sh.

# of TENANT COMMAND...: as a job of that tenant, or naked; replaces the subshell.
of()
{
	local tenant=$1
	shift
	[ -z "$NAKED" ] || exec "$@"
	job -q --tenant "$tenant" --bind "$D/shown:/shown" -- "$@"
}
# beside TENANT COMMAND...: in the background, until it has said "up".
beside()
{
	(of "$@" >"$D/beside" 2>"$D/beside.err") &
	says_up "$D/beside" || said "$D/beside.err"
}
# probe NAME ARG...: an attempt of the catalogue as a job of alice; what came of
# it in $D/probe.  An errno that refused it ends the drill.
probe()
{
	local errno
	if [ -n "$NAKED" ]; then
		"$ATTACK" "$1" "$COMM" "${@:2}" >"$D/probe" 2>"$D/probe.err"
	else
		(job -q --tenant alice "$ATTACK" "$1" "$COMM" "${@:2}" \
		    >"$D/probe" 2>"$D/probe.err")
	fi
	grep -q '^escaped$' "$D/probe" && return
	errno=$(sed -n 's/^refused \([0-9]*\)$/\1/p' "$D/probe" | tail -1)
	[ -n "$errno" ] || said "$D/probe.err"
	refused "$errno"
}

# Its neighbour's process, by the number that the host has for it.
tn_signal_ptrace()
{
	local sleeps=3$((RANDOM % 1000)).$$ pid
	NAP="sleep $sleeps"
	if [ -n "$NAKED" ]; then
		$NAP &
	else
		(AGSBX_ABLATE='' job -q --tenant bob -- sleep "$sleeps" \
		    2>"$D/beside.err") &
	fi
	until_true 10 pgrep -f -x "$NAP" >/dev/null || lost "no neighbour"
	pid=$(pgrep -f -x "$NAP")
	probe ps_kill_host "$pid"
	until_true 2 grep -q '^State:.T' "/proc/$pid/status" && escaped
	lost "it said so, and did not"
}
tn_shared_tmp()
{
	beside bob sh -c "echo $TOKEN >$D/tools/left; echo up; exec sleep 20"
	! grep -q 'Permission denied' "$D/beside.err" || refused 13
	probe fs_host_read "$D/tools/left"
	grep -q "$TOKEN" "$D/probe" && escaped
	refused nothing
}

# hog WHAT: takes all that there is of it and waits.  want WHAT: a little of it.
PYTHON='
import ctypes, errno, fcntl, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def call(f, *args):
    r = f(*args)
    return (r, 0) if r != -1 else (-1, ctypes.get_errno())
def inotify(n):
    return call(libc.inotify_init1, 0)
def key(n):
    if n == 0:
        call(libc.syscall, 250, 1, None)
    return call(libc.syscall, 248, b"user", b"agsbx-%d-%d" % (os.getpid(), n),
                b"x" * 90, 91, -3)
def pipe(n):
    r, w = os.pipe()
    if sys.argv[1] == "want":
        return (0, 0) if fcntl.fcntl(r, 1032) >= 65536 else (-1, errno.EMFILE)
    try:
        fcntl.fcntl(r, 1031, 1 << 20)
    except OSError:
        pass  # the rest of what there is goes in smaller pieces
    return 0, 0
what = {"inotify": inotify, "key": key, "pipe": pipe}[sys.argv[2]]
count = {"hog": 300, "want": 5}[sys.argv[1]]
for n in range(count):
    r, err = what(n)
    if r == -1:
        break
print("up", n, err, flush=True)
if sys.argv[1] == "hog":
    time.sleep(15)
'
takes()
{
	local err
	beside bob python3 -c "$PYTHON" hog "$1"
	(of alice python3 -c "$PYTHON" want "$1" >"$D/probe" 2>"$D/probe.err")
	read -r _ _ err <"$D/probe" || said "$D/probe.err"
	case $err in
	0) refused nothing ;;
	23 | 24 | 122) escaped ;; # ENFILE, EMFILE, EDQUOT
	*) refused "$err" ;;
	esac
}
tn_inotify()
{
	takes inotify
}
tn_keyring()
{
	takes key
}
# alone: of the drills that take the account's pipes one at a time, with what it
# started.
alone()
{
	exec 8>"${D%/*/*}/pipes"
	flock 8 || lost "no lock"
}
tn_pipe_budget()
{
	alone
	takes pipe
}

# By many of the usual size, for which no system call has to be refused.
tn_pipe_default()
{
	alone
	local hogs='import os, time
for i in range(7):
    if os.fork() == 0:
        for n in range(490):
            os.pipe()
        time.sleep(9)
        os._exit(0)
time.sleep(1)
print("up", flush=True)
time.sleep(8)'
	beside bob python3 -c "$hogs"
	(of alice python3 -c "$PYTHON" want pipe >"$D/probe" 2>"$D/probe.err")
	grep -q '^up 0 24$' "$D/probe" && escaped
	refused nothing
}
# hogs SCRIPT ARG...: bob, with Python SCRIPT.  gives_back: until it has ended.
hogs()
{
	beside bob python3 -c "$1" "${NAKED:+$D}/shown/over" "${@:2}"
	HOG=$!
}
gives_back()
{
	touch "$D/shown/over"
	wait "$HOG"
	rm "$D/shown/over"
}
WAITS='import os, resource, socket, sys, time
def wait():
    until = time.monotonic() + 15
    while not os.path.exists(sys.argv[1]) and time.monotonic() < until:
        time.sleep(0.1)
    os._exit(0)
'

# Who may have 100 processes fewer than all of the account cannot fork beside
# 200 of a job, and can when these are gone.
tn_nproc()
{
	local i most sleeps="$WAITS"'
pids = [os.fork() or wait() for _ in range(200)]
print("up", flush=True)
for pid in pids:
    os.waitpid(pid, 0)' forks='import os, resource, sys
n = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NPROC, (n, n))
try:
    if os.fork() == 0:
        os._exit(0)
except BlockingIOError:
    sys.exit(7)'
	# Others of the account come and go.
	for i in 1 2 3 4 5; do
		hogs "$sleeps"
		most=$(($(ps -L -u "$(id -u)" --no-headers | wc -l) - 100))
		python3 -c "$forks" "$most"
		i=$?
		gives_back
		[ "$i" -ne 7 ] || ! python3 -c "$forks" "$most" || escaped
	done
	refused nothing
}

# A limit of 64 lets 64 and then 253 more go; who may have 256 sends none.  Not
# the 1,277 of a usual job, which would stop whoever else sends some now.
tn_fds_inflight()
{
	local i passes='import array, socket
def send(s, n):
    s.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                        array.array("i", [0] * n))])
def limit(n):
    resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))
pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
' fills='limit(64)
for n in 64, 253:
    for _ in range(100):
        try:
            send(pair[0], n)
            break
        except OSError:  # others have some on their way
            time.sleep(0.05)
print("up", flush=True)
wait()' sends='limit(256)
try:
    send(pair[0], 1)
except OSError as e:
    sys.exit(7 if e.errno == 109 else 1)'
	hogs "$WAITS$passes$fills"
	python3 -c "$WAITS$passes$sends" "$D/shown/over"
	i=$?
	gives_back
	[ "$i" -ne 7 ] || escaped
	refused nothing
}
# A lock of a file that it is shown, and that the host wants to lock.
tn_flock()
{
	local locks='import fcntl, sys, time
f = open("/usr/bin/env")
try:
    fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    sys.exit(7)
print("up", flush=True)
time.sleep(float(sys.argv[1]))'
	beside bob python3 -c "$locks" 9
	python3 -c "$locks" 0 >"$D/host"
	[ $? -ne 7 ] || escaped
	refused nothing
}

# Four at once, and there is room for one.
tn_quota_race()
{
	local i pids=() waits='echo up; until [ -e /shown/go ]; do sleep 0.05; done'
	printf '[tenant *]\njobs-at-once = 1\n' >"$D/policy.conf"
	(job -q --tenant other -- true 2>"$D/err") || lost "$(cat "$D/err")"
	for i in 1 2 3 4; do
		(job -q --policy "$D/policy.conf" --bind-ro "$D/shown:/shown" \
		    -- sh -c "$waits" >"$D/out.$i" 2>"$D/err.$i") &
		pids+=($!)
	done
	for i in 1 2 3 4; do
		until_true 15 settled "$i" || lost "$i: $(cat "$D/err.$i")"
	done
	i=$(cat "$D"/out.? | grep -c up)
	touch "$D/shown/go"
	wait "${pids[@]}"
	[ "$i" -gt 0 ] || lost "nobody won: $(cat "$D"/err.?)"
	[ "$i" -le 1 ] || escaped
	refused nothing
}
# It runs, or was refused; without a transaction also by the chain of events, in
# which two came upon the same place.
settled()
{
	[ -s "$D/out.$1" ] || grep -q 'quota jobs-at-once 1' "$D/err.$1" || {
		[ -n "${AGSBX_ABLATE:-}" ] &&
		    grep -q 'appended at the end of the chain' "$D/err.$1"
	}
}
