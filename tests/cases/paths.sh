#!/bin/bash
# FILE by every kind of name, and what of the host is seen beside it.
. "$(dirname "$0")/../lib.sh"

mkdir -p "$T/a dir/ö"
ln -s 'a dir/ö' "$T/link"
echo 'print("found")' >"$T/a dir/ö/the program.py"
echo secret >"$T/a dir/ö/beside"
mv "$HOME" "$T/real-home"
ln -s real-home "$HOME"

t a relative name from a symlinked directory
cd "$T/link" || exit 1
for name in "the program.py" "./the program.py" "$T/link/the program.py"; do
	job "$name"
	want_rc 0
	want_out found
done

t only FILE is shown, not what lies beside it
echo 'import os; print(os.path.exists("'"$T/link/beside"'"), os.listdir("."))' \
    >look.py
job look.py
want_rc 0
want_out 'False []'
cd "$T" || exit 1

t a script by its first line
printf '#!/bin/bash\necho "from bash: $1"\n' >"$T/script"
job "$T/script" word
want_rc 0
want_out 'from bash: word'

t a bind that is read-only, and one that is not
mkdir "$T/in"
mkdir -m 777 "$T/out-dir" # agsbx that root started is root no more
echo given >"$T/in/file"
job --bind-ro "$T/in:/mnt/in" --bind "$T/out-dir:/mnt/out" -- bash -c '
cat /mnt/in/file
(echo x >/mnt/in/file) 2>/dev/null || echo refused
cp /mnt/in/file /mnt/out/copy'
want_rc 0
want_out $'given\nrefused'
[ "$(cat "$T/out-dir/copy" 2>/dev/null)" = given ] || fail "no copy came out"
[ "$(cat "$T/in/file")" = given ] || fail "the read-only source was changed"

t the scratch is empty for the next job
job -- bash -c 'touch ~/left /tmp/left /dev/shm/left'
want_rc 0
job -- bash -c 'find ~ /tmp /dev/shm -name left | wc -l'
want_out 0

finish
