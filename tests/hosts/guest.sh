#!/bin/busybox sh
# shellcheck shell=dash
# PID 1 of a guest of the host matrix, in busybox's shell.  Makes the host that
# the settings ask for, sources the work, sends what that left in $OUT through
# the one port there is, and switches the machine off.  Started by the kernel
# from the initramfs that boot.sh packs; never run on a real host.
#
# CG      v2 (delegated), named (delegated beside the caller), nodeleg, pids
#         (delegated, no other controller), v1, hybrid, none
# SYSCTL  NAME=VALUE...     PROC  masked, hidepid
# TMP     options of /tmp   SWAP  yes: the disk is swap
# ARMOR   yes: an AppArmor profile that lacks userns
CG=v2 SYSCTL='' PROC='' TMP='' SWAP='' ARMOR=''
USER_ID=1000
export PATH=/run/bin:/bin:/usr/bin
H=/run/host
OUT=/run/out
V2=/sys/fs/cgroup

say()
{
	echo "guest: $*" >/dev/console
}

# pivot_root(2) refuses the initramfs: the root is a tmpfs instead.
stage1()
{
	/bin/busybox --install -s /bin
	mkdir -p /proc /sys /dev /new
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t devtmpfs dev /dev
	while read -r module; do
		insmod "/host/modules/$module" || say "no $module"
	done </host/modules.list
	mount -t tmpfs -o mode=755 root /new
	cd /new || exit 1
	mkdir -p proc sys dev run usr etc tmp srv home/tester var/tmp
	for d in bin sbin lib lib64; do
		ln -s "usr/$d" "$d"
	done
	mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro \
	    usr usr || say "no /usr"
	cp -a /host/etc/. etc/
	mv /host run/host
	cp /bin/busybox run/host/busybox
	for d in proc sys dev; do
		mount --move "/$d" "$d"
	done
	exec switch_root /new $H/busybox sh $H/guest.sh stage2
}

base()
{
	$H/busybox mkdir /run/bin
	$H/busybox --install -s /run/bin
	hostname agsbx-hosts
	ifconfig lo up
	mkdir -p /dev/pts /dev/shm
	mount -t devpts -o mode=620,ptmxmode=666 devpts /dev/pts
	mount -t tmpfs -o nosuid,nodev,mode=1777 shm /dev/shm
	mount -t tmpfs -o "nosuid,nodev,mode=1777${TMP:+,$TMP}" tmp /tmp
	mount -t securityfs none /sys/kernel/security
	ln -s /proc/self/fd /dev/fd
	chmod 666 /dev/null /dev/zero /dev/full /dev/random /dev/urandom \
	    /dev/tty /dev/ptmx
	mount --make-rshared /
	chown $USER_ID:$USER_ID /home/tester
}

v2_tree()
{
	mount -t cgroup2 -o nsdelegate cgroup2 $V2
	mkdir $V2/user
	for d in $V2 $V2/user; do
		for controller; do
			echo "+$controller" >"$d/cgroup.subtree_control" ||
			    say "no controller $controller in $d"
		done
	done
}

# delegate DIR: what the manual of the kernel lists, and nothing else.
delegate()
{
	chown $USER_ID:$USER_ID "$1" "$1/cgroup.procs" "$1/cgroup.threads" \
	    "$1/cgroup.subtree_control"
}

v1_tree()
{
	mount -t tmpfs -o mode=755 cgroup $V2
	for controller in cpu cpuset memory devices freezer pids; do
		mkdir $V2/$controller
		mount -t cgroup -o $controller cgroup $V2/$controller ||
		    rmdir $V2/$controller
	done
}

cgroups()
{
	case $CG in
	v2 | nodeleg) v2_tree memory pids cpu ;;
	pids) v2_tree pids ;;
	named)
		v2_tree memory pids cpu
		mkdir $V2/user/jobs $V2/user/session
		delegate $V2/user
		delegate $V2/user/jobs ;;
	v1) v1_tree ;;
	hybrid)
		v1_tree
		mkdir $V2/unified
		mount -t cgroup2 cgroup2 $V2/unified ;;
	esac
}

settings()
{
	for s in $SYSCTL; do
		sysctl -w "$s" >/dev/null || say "cannot set $s"
	done
	[ -z "$SWAP" ] || { mkswap /dev/vda >/dev/null && swapon /dev/vda; }
	[ -z "$ARMOR" ] || cat $H/armor >/sys/kernel/security/apparmor/.load
	case $PROC in
	masked) # as container runtimes cover it
		mount --bind /dev/null /proc/kcore
		mount --bind /dev/null /proc/keys
		mount -t tmpfs -o ro none /proc/scsi
		mount --bind /proc/sys /proc/sys
		mount -o remount,ro,bind /proc/sys ;;
	hidepid) mount -o remount,hidepid=2 /proc ;;
	esac
}

# user SECONDS COMMAND...: as an ordinary user, and in a cgroup of its own as
# systemd-run --scope makes one; that cgroup is the user's where CG says so.
user()
{
	local procs=/dev/null limit=$1 scope
	shift
	case $CG in
	v2 | pids | nodeleg)
		scope=$(mktemp -d $V2/user/scope-XXXXXX)
		chmod 755 "$scope"
		procs=$scope/cgroup.procs
		[ $CG = nodeleg ] || delegate "$scope" ;;
	named) procs=$V2/user/session/cgroup.procs ;;
	esac
	timeout -k 5 "$limit" env -i PATH=/usr/local/bin:/usr/bin:/bin \
	    LANG=C.UTF-8 HOME=/home/tester AGSBX_HOSTS_SECRET=agsbx-secret \
	    ${NAMED:+"AGSBX_CGROUP=$NAMED"} \
	    $H/busybox sh -c 'echo $$ >"$0"; exec "$@"' "$procs" \
	    /usr/bin/setpriv --reuid=$USER_ID --regid=$USER_ID --clear-groups \
	    --inh-caps=-all "$@"
}

[ "${1-}" = stage2 ] || stage1
# shellcheck source=/dev/null
. $H/settings
$H/busybox mkdir $OUT
exec 2>>$OUT/guest.log
base
cgroups
settings
[ "$CG" != named ] || NAMED=$V2/user/jobs
# shellcheck source=tests/hosts/work.sh
. $H/work.sh
cut -d' ' -f1 /proc/uptime >$OUT/uptime
for port in /dev/vport*p1; do
	tar -c -C $OUT . >"$port"
done
sync
poweroff -f
