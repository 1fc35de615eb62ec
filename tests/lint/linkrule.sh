#!/bin/bash
# A control without an attempt does not link, and an attempt without an ablation
# does not compile: both are done here, to see that they fail.
#   B=build CC=cc bash tests/lint/linkrule.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
work=$(mktemp -d "${TMPDIR:-/tmp}/agsbx-linkrule.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
complain()
{
	echo "linkrule: $*"
	bad=1
}

cp tests/escapes/catalogue.c tests/escapes/catalogue.def "$work"
# compile: the catalogue of $work, with the tables of $work before all others.
compile()
{
	"${CC:-cc}" -std=c11 -D_GNU_SOURCE "-I$work" -Itests/escapes -Ilauncher \
	    -Icommon "-I$B/gen" -c -o "$work/catalogue.o" "$work/catalogue.c" \
	    2>"$work/errors"
}
unattacked()
{
	nm -u "$work/catalogue.o" | grep -o 'attempt_for_.*'
}

compile || { complain "$(cat "$work/errors")"; exit 1; }
[ -z "$(unattacked)" ] || complain "no attempt for $(unattacked)"

{
	cat common/controls.def
	echo 'CONTROL(NOBODY, nobody, 0, INIT, INIT, FLAG, 0, NONE)'
} >"$work/controls.def"
compile || complain "$(cat "$work/errors")"
[ "$(unattacked)" = attempt_for_NOBODY ] ||
    complain "a control without an attempt links"
rm "$work/controls.def"

echo 'ATTEMPT(fs_nothing, MNTNS, word, "nothing", LAYERS(), .args = {"x"})' \
    >>"$work/catalogue.def"
! compile || complain "an attempt without an ablation compiles"
grep -q 'attempt fs_nothing has no ablation' "$work/errors" ||
    complain "it fails for another reason: $(head -3 "$work/errors")"
exit "$bad"
