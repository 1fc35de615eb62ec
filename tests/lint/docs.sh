#!/bin/bash
# The documents say what the program says: every control, option, limit, exit
# status and JSON document of the built agsbx is in agsbx(1), every control is
# in THREAT_MODEL.md with the words of the table, and agsbx(1) names no option
# that does not exist.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
page=man/agsbx.1
bad=0
complain()
{
	echo "docs: $*"
	bad=1
}

# Options: --help against .Fl in the page, in both directions.
for command in run doctor recover jobs policy audit; do
	"$B/agsbx" "$command" --help
done >"$B/help.txt" || complain "--help fails"
grep -oE -- '--[a-z][a-z-]+' "$B/help.txt" | sort -u >"$B/help.options"
grep -oE '(Fl Fl|Fl -) ?[a-z][a-z-]+|Fl -[a-z][a-z-]+' "$page" |
    sed -E 's/^(Fl Fl |Fl -) ?/--/' | sort -u >"$B/page.options"
while read -r option; do
	complain "$page lacks $option"
done < <(comm -23 "$B/help.options" "$B/page.options")
while read -r option; do
	complain "$page names $option, which --help lacks"
done < <(comm -13 "$B/help.options" "$B/page.options")

# Controls and what each denies.
sed -nE 's/^CONTROL\(([A-Z_]+), ([a-z_]+), (.*)\)$/\1|\2|\3/p' \
    common/controls.def | sort >"$B/controls.facts"
{ sed '/^\/\*/,/^ \*\//d' policy/words.def | tr -s '\n\t ' ' '; echo; } |
    sed 's/ WORDS(/\nWORDS(/g' | sed -nE \
    's/^WORDS\(([A-Z_]+), "([^"]*)", "([^"]*)"\) ?$/\1|\2|\3/p' | sort |
    join -t '|' "$B/controls.facts" - | cut -d '|' -f 2- >"$B/controls.txt"
count=$(grep -c '^CONTROL(' common/controls.def)
[ "$(wc -l <"$B/controls.txt")" -eq "$count" ] ||
    complain "cannot read every row of controls.def"
while IFS='|' read -r symbol columns token denies; do
	grep -qE "^\.It (Cm|Ic) $symbol( |$)" "$page" ||
	    complain "$page has no entry for the control $symbol"
	waivable=no
	[[ $columns == *FLOOR* ]] || waivable=yes
	row="| \`$symbol\` | $denies | $waivable | \`$token\` |"
	grep -qF -- "$row" THREAT_MODEL.md ||
	    complain "THREAT_MODEL.md lacks this row: $row"
done <"$B/controls.txt"

# Residuals: one table in two places.
{ sed '/^\/\*/,/^ \*\//d' broker/residuals.def | tr -s '\n\t ' ' '; echo; } |
    sed 's/ RESIDUAL(/\nRESIDUAL(/g; s/" "//g' | sed -nE \
    's/^RESIDUAL\([A-Z_]+, "([^"]*)", "([^"]*)", "([^"]*)"\) ?$/| \1 | \2 | \3 |/p' |
    sort >"$B/residuals.txt"
[ "$(wc -l <"$B/residuals.txt")" -eq "$(grep -c '^RESIDUAL(' broker/residuals.def)" ] ||
    complain "cannot read every row of residuals.def"
while read -r row; do
	complain "THREAT_MODEL.md and residuals.def differ: $row"
done < <(sed -n '/^| residual |/,/^$/p' THREAT_MODEL.md | sed -n '3,$p' |
    grep . | sort | diff - "$B/residuals.txt" | grep '^[<>]')

# Each is tried: an attempt of the suite, or a name of some.
while read -r name; do
	grep -qE "^[A-Z_]+\(${name//-/_}[,)]" tests/escapes/*.def ||
	    complain "no attempt shows the residual $name"
done < <(cut -d '|' -f 2 "$B/residuals.txt" | tr -d ' ' | tr ',' '\n')

# Limits: the keys of policy files; reasons, states, documents, exit codes.
words()
{
	grep -oE "$1" "$2" | sed -E 's/^[^"]*"//; s/"$//' | grep .
}
for key in $(words 'LIMIT\([A-Z_]+, "[a-z-]+"' policy/limits.def); do
	grep -qE "(Cm|Ic|Li) $key( |$)" "$page" ||
	    complain "$page lacks the key $key"
done
for word in $(words 'REASON\([A-Z_]+, "[a-z]+"' broker/reasons.def) \
    $(words 'STATE\([A-Z_]+, "[a-z]+"' broker/states.def); do
	grep -qE "(Cm|Li|Ic) $word( |$)" "$page" ||
	    complain "$page lacks the word $word"
done
while read -r document; do
	grep -qF "$document" "$page" ||
	    complain "$page lacks the document $document"
done < <(grep -ohE 'agsbx\.[a-z]+/[0-9]+' broker/*.c | sort -u)
while read -r key; do
	grep -qE "(^|[ (])$key( |$)" "$page" ||
	    complain "$page lacks the JSON key $key"
done < <(tr '\n\t' '  ' <<<"$(cat broker/doc*.c)" |
    grep -oE '(doc|put)_[a-z]+\([^")]*"[a-z0-9_]+"' |
    sed -E 's/.*"(.*)"/\1/' | sort -u)
for code in 0 1 2 3; do
	grep -qE "^\.It (Li )?$code$" "$page" ||
	    complain "$page lacks the exit status $code"
	grep -qE "^\| $code \|" README.md ||
	    complain "README.md lacks the exit status $code"
done

exit "$bad"
