#!/bin/bash
# "make install" below DESTDIR: the files, their modes, nothing privileged.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/agsbx-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
umask 077
make -s install B="$work/build" DESTDIR="$work/root" PREFIX=/usr >/dev/null
cat >"$work/want" <<LIST
644 usr/share/man/man1/agsbx.1
644 usr/share/man/man8/agsbx-launcher.8
755 usr/bin/agsbx
755 usr/libexec/agsbx/agsbx-attack
755 usr/libexec/agsbx/agsbx-launcher
LIST
find "$work/root" -type f -printf '%m %P\n' | sort >"$work/got"
diff -u "$work/want" "$work/got"
if getcap -r "$work/root" 2>/dev/null | grep .; then
	echo "install: a file capability was set"
	exit 1
fi
grep -q /usr/libexec/agsbx "$work/root/usr/bin/agsbx" || {
	echo "install: agsbx does not look in the prefix that was asked for"
	exit 1
}
# Installed, it finds the launcher of its prefix: 3 are gaps of the host.
make -s install B="$work/build" PREFIX="$work/prefix" >/dev/null
rc=0
"$work/prefix/bin/agsbx" doctor >"$work/doctor" 2>&1 || rc=$?
if [ "$rc" -ne 0 ] && [ "$rc" -ne 3 ]; then
	echo "install: doctor of the installed agsbx ends with $rc:"
	cat "$work/doctor"
	exit 1
fi
make -s uninstall B="$work/build" DESTDIR="$work/root" PREFIX=/usr
if find "$work/root" -type f | grep .; then
	echo "install: uninstall leaves these"
	exit 1
fi
