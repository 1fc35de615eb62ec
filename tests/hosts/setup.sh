#!/bin/bash
# Fills the cache of the host matrix: qemu, Debian's kernels, busybox, and a
# compiled AppArmor profile.  Nothing is installed: apt reads the sources of
# this machine, keeps its lists and packages in the cache, and dpkg unpacks
# them there.  Called by check.sh; what is there already is not fetched again.
#
#   bash tests/hosts/setup.sh CACHE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
C=${1:?a directory for packages and kernels}
mkdir -p "$C/apt/lists/partial" "$C/apt/archives/partial" "$C/root"
C=$(realpath "$C")
export DEBIAN_FRONTEND=noninteractive

# apt ARG...: apt-get with every file that it writes in the cache.
apt()
{
	apt-get -qq -o "Dir::State::lists=$C/apt/lists" \
	    -o "Dir::Cache::archives=$C/apt/archives" \
	    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
	    -o Debug::NoLocking=1 -o "APT::Sandbox::User=$(id -un)" \
	    -o Acquire::Languages=none -o Acquire::Retries=2 \
	    -o Acquire::http::Timeout=60 "$@"
}

# programs: qemu with what it needs and this machine lacks, and busybox.
programs()
{
	local deb
	apt -y --no-install-recommends --download-only install \
	    qemu-system-x86
	(cd "$C/apt/archives" && apt download busybox-static)
	for deb in "$C"/apt/archives/*.deb; do
		dpkg -x "$deb" "$C/root"
	done
	rm "$C"/apt/archives/*.deb
}

# kernel NAME PACKAGE: the image and the few modules of the newest kernel that
# PACKAGE depends on.
kernel()
{
	local image deb m want=()
	image=$(apt-cache -o "Dir::State::lists=$C/apt/lists" \
	    -o Dir::Cache::pkgcache= depends "$2" |
	    sed -n 's/.*Depends: \(linux-image-[0-9]\)/\1/p' | head -1)
	(cd "$C/apt/archives" && apt download "$image")
	deb=$(echo "$C/apt/archives/${image}"_*.deb)
	for m in $MODULES; do
		want+=("*/$m.ko*")
	done
	rm -rf "$C/$1.tmp"
	mkdir "$C/$1.tmp"
	# tar complains of what is built in, and so has no file.
	dpkg --fsys-tarfile "$deb" | tar -x -C "$C/$1.tmp" --wildcards \
	    './boot/vmlinuz-*' "${want[@]}" 2>"$C/apt/tar.log" || :
	find "$C/$1.tmp" -name '*.xz' -exec "$C/root/bin/busybox" unxz {} +
	mv "$C/$1.tmp"/boot/vmlinuz-* "$C/$1.tmp/vmlinuz"
	mv -T "$C/$1.tmp" "$C/$1"
	rm "$deb"
}

# armor: a profile without userns, compiled.  Only a parser of AppArmor 4 knows
# the rule, and so writes policies that mediate it; Debian 13 has one, run here
# with its own C library.
armor()
{
	local mirror lists=$C/apt/trixie D=$C/trixie
	local only=(-o "Dir::State::lists=$lists" -o Dir::Etc::sourceparts=-
	    -o "Dir::Etc::sourcelist=$C/apt/trixie.list")
	mirror=$(apt-get indextargets --format '$(REPO_URI)' \
	    'Created-By: Packages' | grep '/debian/$' | head -1)
	mkdir -p "$lists/partial" "$D"
	echo "deb ${mirror:?no mirror of Debian} trixie main" \
	    >"$C/apt/trixie.list"
	apt "${only[@]}" update
	(cd "$D" && apt "${only[@]}" download apparmor libc6 libgcc-s1 \
	    libstdc++6)
	for deb in "$D"/*.deb; do
		dpkg -x "$deb" "$D"
	done
	rm -r "$D"/*.deb "$lists"
	"$D/usr/lib64/ld-linux-x86-64.so.2" \
	    --library-path "$D/usr/lib/x86_64-linux-gnu" \
	    "$D/usr/sbin/apparmor_parser" --skip-kernel-load --skip-cache \
	    --base "$D/etc/apparmor.d" \
	    --kernel-features "$D/etc/apparmor.d/abi/4.0" \
	    --policy-features "$D/etc/apparmor.d/abi/4.0" \
	    --ofile "$C/armor.tmp" "$here/armor.profile"
	mv "$C/armor.tmp" "$C/armor"
}

# In the order in which a guest loads them; a kernel may have some built in.
MODULES="virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev
    virtio_pci virtio_console virtio_blk netfs fscache 9pnet 9pnet_virtio 9p
    vsock"
echo "$MODULES" >"$C/modules"

for part in programs 6.1 6.12 armor; do
	[ -e "$C/$part" ] || missing=yes
done
[ -z "${missing-}" ] || apt update # it ends with 0 also without a network
[ -e "$C/programs" ] || { programs && touch "$C/programs"; }
[ -d "$C/6.1" ] || kernel 6.1 linux-image-amd64
[ -d "$C/6.12" ] || kernel 6.12 linux-image-6.12-amd64
[ -e "$C/armor" ] || armor
