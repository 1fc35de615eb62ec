# shellcheck shell=bash disable=SC2153 # drill.sh sets STATE
# drill_host.sh - what a host does while a job runs, or is like before it: see
# fs.def, ns.def, network.def and process.def.  Sourced by drill.sh.

# as_root NAME: the drill again, as root of a user namespace that has mounts of
# its own, as in a container.
as_root()
{
	[ -z "${IS_ROOT:-}" ] || return 0
	IS_ROOT=1 exec unshare --user --map-root-user --mount --propagation shared \
	    bash "$0" "$1"
}

# A bind brings along what the host has mounted below it.
fs_kernel_mount()
{
	as_root fs_kernel_mount
	mkdir "$D/shown/sys"
	mount --rbind /sys "$D/shown/sys" || lost "no mount here"
	(job -q --bind-ro "$D/shown:/shown" -- \
	    cat /shown/sys/devices/system/cpu/present) >"$D/out" 2>"$D/err"
	[ "$(<"$D/out")" != "$(</sys/devices/system/cpu/present)" ] || escaped
	grep -q 'on a mount of sysfs' "$D/err" || lost "$(cat "$D/err")"
	refused policy
}

# The host mounts beneath what a job is shown.
ns_propagation_in()
{
	local script='echo up; until [ -e /shown/go ]; do sleep 0.05; done
	    cat /shown/late/secret'
	as_root ns_propagation_in
	mkdir "$D/shown/late"
	mount --bind "$D/shown" "$D/shown" || lost "no mount here"
	mount --make-shared "$D/shown"
	if [ -n "$NAKED" ]; then
		unshare --user --map-root-user --mount --propagation slave \
		    sh -c "${script//\/shown/$D/shown}" >"$D/out" 2>"$D/err" &
	else
		(job -q --bind "$D/shown:/shown" -- sh -c "$script" \
		    >"$D/out" 2>"$D/err") &
	fi
	says_up "$D/out" || lost "$(cat "$D/err")"
	mount -t tmpfs late "$D/shown/late" || lost "no tmpfs here"
	echo "$TOKEN" >"$D/shown/late/secret"
	touch "$D/shown/go"
	wait
	! grep -q "$TOKEN" "$D/out" || escaped
	refused nothing
}

# A part of the host's procfs is covered: nobody can make another one then, and
# the host's own is no substitute.
ns_proc_overmounted()
{
	as_root ns_proc_overmounted
	mount --bind /dev/null /proc/meminfo || lost "nothing can be covered here"
	(job -q -- sh -c 'ls -d /proc/[0-9]* | wc -l' >"$D/out" 2>"$D/err")
	if [ -s "$D/out" ] && [ "$(cat "$D/out")" -gt 5 ]; then
		escaped
	fi
	said "$D/err"
}

# It stops its parent.
ps_stop_supervisor()
{
	local pid parent script='import os, time
try:
    os.kill(os.getppid(), 19)
except OSError:
    pass
print("up", flush=True)
time.sleep(5)'
	if [ -n "$NAKED" ]; then
		sh -c 'python3 -c "$1"; true' sh "$script" >"$D/out" 2>"$D/err" &
		pid=$!
	else
		(job -q -- python3 -c "$script" >"$D/out" 2>"$D/err") &
		pid=$!
	fi
	says_up "$D/out" || said "$D/err"
	if [ -n "$NAKED" ]; then
		parent=$pid
	else
		parent=$(pgrep -P "$(pgrep -P "$pid" | head -1)" | head -1)
	fi
	sleep 0.2
	! grep -q '^State:.T' "/proc/$parent/status" || escaped
	refused nothing
}

LISTENS='import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
s.settimeout(20)
print("up", flush=True)
s.accept()[0].sendall(sys.argv[2].encode())'

# The host listens below /usr before the job begins.
nw_usr_socket()
{
	local connect='import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
print(s.recv(100).decode())'
	as_root nw_usr_socket
	mount --bind "$D/shown" /usr/local || lost "no mount here"
	timeout 20 python3 -c "$LISTENS" /usr/local/socket "$TOKEN" \
	    >"$D/listens" &
	says_up "$D/listens" || lost "nobody listens"
	if [ -n "$NAKED" ]; then
		python3 -c "$connect" /usr/local/socket >"$D/out" 2>"$D/err"
	else
		(job -q -- python3 -c "$connect" /usr/local/socket \
		    >"$D/out" 2>"$D/err")
	fi
	! grep -q "$TOKEN" "$D/out" || escaped
	refused nothing
}

# The host listens in a read-only bind once the job runs.
nw_path_late()
{
	local connect='import os, socket, time
print("up", flush=True)
while not os.path.exists("/shown/late"):
    time.sleep(0.05)
for _ in range(100):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect("/shown/late")
        break
    except ConnectionRefusedError:  # it is not heard yet
        time.sleep(0.05)
print(s.recv(100).decode())'
	(job -q --bind-ro "$D/shown:/shown" -- python3 -c "$connect" \
	    >"$D/out" 2>"$D/err") &
	says_up "$D/out" || lost "$(cat "$D/err")"
	timeout 20 python3 -c "$LISTENS" "$D/shown/late" "$TOKEN" \
	    >"$D/listens" &
	wait %1
	! grep -q "$TOKEN" "$D/out" || escaped
	refused nothing
}
