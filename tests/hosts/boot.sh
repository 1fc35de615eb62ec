#!/bin/bash
# Boots one guest and unpacks what it sent into a directory.
#
#   bash tests/hosts/boot.sh CACHE DIR KERNEL MIB ARGUMENTS SETTINGS WORK [FILE...]
#
# KERNEL is one of the cache, ARGUMENTS go to its command line, SETTINGS are
# assignments for guest.sh, WORK is the script that it sources; each FILE is
# beside it.  The guest sees this machine's /usr, read-only by 9p, so that what
# is installed here is there.  KVM is never tried: machines are seen that offer
# one on which no stock kernel boots.  Exit 1: no result, why is on stderr.
#
# SECONDS_MAX   after which the emulator is ended
# CLOCK         counted: the guest's clock counts its instructions, 4 ns each,
#               instead of showing the time here
set -eu
here=$(cd "$(dirname "$0")" && pwd)
C=$(realpath "$1") DIR=$(realpath -m "$2") KERNEL=$3 MIB=$4 ARGUMENTS=$5
SETTINGS=$6 WORK=$7
shift 7
SECONDS_MAX=${SECONDS_MAX:-600}
accel=(-accel "tcg,thread=multi")
[ "${CLOCK-}" != counted ] ||
    accel=(-accel "tcg,thread=single" -icount "shift=2,sleep=on")
busybox=$C/root/bin/busybox
# no_timer_check, tsc: a starved emulator is late, and the kernel then panics.
KERNEL_ARGUMENTS="quiet panic=-1 mitigations=off audit=0 random.trust_cpu=on
    no_timer_check tsc=reliable"

rm -rf "$DIR"
mkdir -p "$DIR/out"
T=$(mktemp -d "${TMPDIR:-/tmp}/agsbx-boot.XXXXXX")
trap 'rm -rf "$T"' EXIT

# pack FILE...: the initramfs.
pack()
{
	local D=$T/root module file
	mkdir -p "$D/bin" "$D/host/modules" "$D/host/etc"
	cp "$busybox" "$D/bin/"
	cp "$here/guest.sh" "$D/init"
	chmod 755 "$D/init"
	cp -r "$here/guest.sh" "$@" "$D/host/"
	cp "$WORK" "$D/host/work.sh"
	echo "$SETTINGS" | tr ';' '\n' >"$D/host/settings"
	for module in $(<"$C/modules"); do
		file=$(find "$C/$KERNEL/lib" -name "$module.ko")
		[ -z "$file" ] || cp "$file" "$D/host/modules/"
		[ -z "$file" ] || echo "$module.ko"
	done >"$D/host/modules.list"
	for file in alternatives ld.so.cache ld.so.conf ld.so.conf.d \
	    nsswitch.conf os-release profile services protocols; do
		[ ! -e "/etc/$file" ] || cp -a "/etc/$file" "$D/host/etc/"
	done
	find /etc -maxdepth 1 \( -name 'python3*' -o -name 'java-*' -o \
	    -name perl -o -name 'fonts' -o -name 'matplotlibrc' \) \
	    -exec cp -a {} "$D/host/etc/" \;
	printf '%s\n' root:x:0:0::/root:/bin/sh \
	    tester:x:1000:1000::/home/tester:/bin/sh \
	    nobody:x:65534:65534::/:/bin/false >"$D/host/etc/passwd"
	printf '%s\n' root:x:0: tester:x:1000: nogroup:x:65534: \
	    >"$D/host/etc/group"
	echo '127.0.0.1 localhost agsbx-hosts' >"$D/host/etc/hosts"
	echo agsbx-hosts >"$D/host/etc/hostname"
	echo 'multi on' >"$D/host/etc/host.conf"
	md5sum </proc/sys/kernel/random/uuid | cut -c1-32 \
	    >"$D/host/etc/machine-id"
	(cd "$D" && find . | "$busybox" cpio -o -H newc -R 0:0 2>"$T/cpio") \
	    >"$T/initrd"
}

boot()
{
	local lib=lib/x86_64-linux-gnu
	truncate -s 256M "$T/disk"
	LD_LIBRARY_PATH=$C/root/usr/$lib:$C/root/$lib \
	    PATH=$C/root/usr/bin:$PATH timeout --foreground -k 5 "$SECONDS_MAX" \
	    qemu-system-x86_64 -L "$C/root/usr/share/qemu" \
	    -L "$C/root/usr/share/seabios" -M q35 "${accel[@]}" \
	    -cpu max -m "$MIB" -nographic -nodefaults -no-reboot \
	    -serial "file:$DIR/console" -kernel "$C/$KERNEL/vmlinuz" \
	    -initrd "$T/initrd" \
	    -append "console=ttyS0 ${KERNEL_ARGUMENTS//$'\n'/} $ARGUMENTS" \
	    -fsdev local,id=usr,path=/usr,security_model=none,readonly=on,multidevs=remap \
	    -device virtio-9p-pci,fsdev=usr,mount_tag=usr \
	    -drive "file=$T/disk,format=raw,if=virtio,cache=unsafe" \
	    -device virtio-serial-pci \
	    -chardev "file,id=out,path=$T/out.tar" \
	    -device virtserialport,nr=1,chardev=out \
	    </dev/null >"$DIR/qemu.log" 2>&1
}

pack "$@"
boot || echo "boot.sh: qemu ended with $?" >>"$DIR/qemu.log"
if ! tar -x -C "$DIR/out" -f "$T/out.tar" 2>>"$DIR/qemu.log"; then
	echo "boot.sh: no result:" "$(tail -qn 3 "$DIR/qemu.log" "$DIR/console" |
	    tr '\r\n' '  ')" >&2
	exit 1
fi
