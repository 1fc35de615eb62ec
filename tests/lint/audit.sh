#!/bin/bash
# What an auditor has to read, and what the launcher must not contain.
#   B=build bash tests/lint/audit.sh OBJECT...    the objects it links
#
# The sources come from the compiler's own dependency files, so a header that
# one of them includes cannot be forgotten.  Raw lines: comments count.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
BUDGET=3500
bad=0
complain()
{
	echo "audit: $*"
	bad=1
}

sources()
{
	local object
	for object; do
		cat "${object%.o}.d"
	done | tr ' ' '\n' | grep -xE '(common|policy|launcher)/[a-z0-9_.]+' |
	    sort -u
}

echo "Linked into $B/agsbx-launcher, in raw lines:"
mapfile -t files < <(sources "$@")
[ ${#files[@]} -gt 0 ] || complain "no dependency files for $*"
wc -l "${files[@]}" | sed '$d'
total=$(cat "${files[@]}" | wc -l)
echo "$(printf '%5d' "$total") in total, of $BUDGET (generated on top:" \
    "$(wc -l <"$B/gen/filter_floor.c") lines of filter_floor.c)"
[ "$total" -lt "$BUDGET" ] || complain "$total lines: not below $BUDGET"

# No heap, no stdio, no environment, no shell, no search path.
FORBIDDEN='malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf|
vasprintf|posix_memalign|aligned_alloc|memalign|brk|sbrk|
f?printf|v?f?printf|dprintf|vdprintf|puts|fputs|putc|fputc|putchar|f(re|d)?open|
fclose|fread|fwrite|fgets|fgetc|getc|getline|scanf|fscanf|perror|
stdout|stderr|stdin|
getenv|secure_getenv|setenv|putenv|unsetenv|clearenv|environ|
system|popen|execlp|execvp|execvpe|posix_spawnp|
getpwnam|getpwuid|getgrnam|getaddrinfo|dlopen|pthread_create'
FORBIDDEN=$(tr -d '\n' <<<"$FORBIDDEN")
while read -r hit; do
	complain "the launcher's own code uses $hit"
done < <(nm -A -u "$@" | sed -nE "s/^(.*):.* U (__)?($FORBIDDEN)(_chk)?$/\3 (\1)/p")

# And nothing of the other half's libraries got in.
while read -r hit; do
	complain "$B/agsbx-launcher contains $hit"
done < <(nm "$B/agsbx-launcher" |
    grep -oE ' (sqlite3_|seccomp_|json_|ini_|MD5|policy_|ledger_).*')
file_type=$(readelf -l "$B/agsbx-launcher")
! grep -q 'INTERP' <<<"$file_type" || complain "the launcher is not static"

exit "$bad"
