#!/bin/bash
# The layer rules, by reading the sources: who may include what, who may use
# which library and who may make raw system calls.
#   broker -> policy -> common <- launcher        tests see everything
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0
complain()
{
	echo "layers: $*"
	bad=1
}

sees()
{
	case $1 in
	common) echo common ;;
	policy) echo policy common ;;
	launcher) echo launcher common ;;
	broker) echo broker policy common ;;
	esac
}

# Our own headers come only from the layers that a layer sees.
for layer in common policy launcher broker; do
	for file in "$layer"/*.[ch]; do
		while read -r header; do
			[[ $header != build_id.h && $header != libexecdir.h ]] || continue
			found=
			for dir in $(sees "$layer"); do
				[ ! -e "$dir/$header" ] || found=yes
			done
			[ -n "$found" ] || complain "$file includes $header"
		done < <(sed -n 's/^#include "\(.*\)".*/\1/p' "$file")
	done
done

# only PATTERN WHAT FILE...: PATTERN is in those files (and in tests) alone.
only()
{
	local pattern=$1 what=$2 file allowed
	shift 2
	while read -r file; do
		for allowed; do
			# shellcheck disable=SC2053 # allowed is a glob
			[[ $file != $allowed ]] || continue 2
		done
		complain "$file: $what belongs to $*"
	done < <(grep -lE "$pattern" common/*.[ch] policy/*.[ch] \
	    launcher/*.[ch] broker/*.[ch])
}

only '#include <sqlite3.h>' 'SQLite' 'broker/ledger*.[ch]'
only '#include <seccomp.h>' 'libseccomp' policy/policy_seccomp.c \
    policy/genfilter.c
only '#include <jansson.h>' 'JSON' 'broker/doc*.[ch]'
only '#include <ini.h>' 'INI parsing' 'policy/*.c'
only '#include <sys/capability.h>' 'libcap' 'launcher/*.c'
only '(^|[^a-z_])syscall\(' 'a raw system call' launcher/sys.h \
    broker/confine.c

# Each control can be set and read back: two functions for each row.
while read -r symbol; do
	for what in apply verify; do
		grep -qE "^(ALIAS\(|control_fn )?${symbol}_${what}[(, ]" \
		    launcher/*.c ||
		    complain "launcher/ defines no ${symbol}_$what()"
	done
done < <(sed -nE 's/^CONTROL\([A-Z_]+, *([a-z_]+),.*/\1/p' common/controls.def)

for file in */*.[ch] tests/*/*.[ch] tests/*.sh tests/*/*.sh; do
	[ -e "$file" ] || continue
	lines=$(wc -l <"$file")
	[ "$lines" -le 350 ] || complain "$file has $lines lines, above 350"
	case $file in *.sh) continue ;; esac
	head -1 "$file" | grep -q '^/\*' ||
	    complain "$file does not start with a comment that says what it is"
done
while read -r hit; do
	complain "unfinished: $hit"
done < <(grep -nE 'TODO|FIXME|XXX[^X]' common/* policy/* launcher/* broker/* \
    man/* README.md THREAT_MODEL.md Makefile)

exit "$bad"
