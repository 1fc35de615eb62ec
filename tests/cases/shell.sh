#!/bin/bash
# What shell scripts take for granted.
. "$(dirname "$0")/../lib.sh"

t process substitution and the /dev links
job -- bash -c 'tac <(printf "1\n2\n"); total=0
while read -r n; do total=$((total + n)); done < <(seq 4); echo $total
echo through | cat /dev/stdin; echo straight >/dev/stdout; echo lost >/dev/null
head -c 3 /dev/urandom | wc -c; head -c 2 /dev/zero | od -An -tx1'
want_rc 0
want_out $'2\n1\n10\nthrough\nstraight\n3\n 00 00'

t file tests tell the truth
job -- bash -c '[ -x /bin/ls ] && [ ! -w /usr ] && echo a >f && [ -w f ] &&
    [ -O f ] && cp -a f g && chmod 400 g && [ -r g ] && stat -c %a g'
want_rc 0
want_out 400

t find, tar, sed, awk, sort and xargs work together
job -- bash -c 'mkdir d && touch d/{x,y,z} && tar cf - d | tar tf - | sort |
    sed 1d | xargs -n1 basename | awk "{ s = s \$0 } END { print s }"'
want_rc 0
want_out xyz

t HOME and the temporary directory are the job\'s own
job -- bash -c 'echo k >~/file && f=$(mktemp) && echo k >"$f" &&
    [ -d "$HOME" ] && [ "$PWD" = "$HOME" ] && cat ~/file && [ -O "$f" ]'
want_rc 0
want_out k

t the user and the group have names
job -- bash -c '[ "$(id -un)" ] && [ "$(id -gn)" ] && [ "$(id -u)" != 0 ] &&
    getent passwd "$(id -u)" | cut -d: -f6 | xargs test -d && echo named'
want_rc 0
want_out named

t text is UTF-8 though the caller has no locale
unset LANG LC_ALL LC_CTYPE LANGUAGE
job -- locale charmap
want_rc 0
want_out UTF-8
job -c 'print("\u00fcber \u03c0")'
want_out 'über π'

t a background child does not keep a job open, and ends with it
mark=41.$$
LIMIT=25 job -- bash -c "sleep $mark & echo started"
want_rc 0
want_out started
want_ms_below 8000
want_gone "sleep $mark"

t a daemon in a session of its own ends with the job
mark=42.$$
job -- bash -c "setsid -f sleep $mark </dev/null >/dev/null 2>&1; echo left"
want_rc 0
want_out left
want_gone "sleep $mark"

t a while-read loop keeps its list
printf '%s\n' a b c >"$T/list"
seen=
while read -r word; do
	seen=$seen$word
	"$AGSBX" run -q "${WAIVE[@]}" -- true 2>"$T/err" || fail "$(cat "$T/err")"
done <"$T/list"
[ "$seen" = abc ] || fail "the loop saw '$seen'"

finish
