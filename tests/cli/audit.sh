#!/bin/bash
# Whatever the sqlite3 shell does to a ledger, agsbx audit names the first
# broken link; only the end of the chain needs an anchor.
. "$(dirname "$0")/../lib.sh"
DATA=$(realpath "$(dirname "$0")/../data")
need sqlite3

GOOD=$T/good
DROP=$(cat <<'EOF'
DROP TRIGGER events_insert; DROP TRIGGER events_update;
DROP TRIGGER events_delete; DROP TRIGGER jobs_insert; DROP TRIGGER jobs_change;
DROP TRIGGER jobs_fixed; DROP TRIGGER jobs_delete;
DROP TRIGGER controls_update; DROP TRIGGER controls_delete;
DROP TRIGGER gaps_update; DROP TRIGGER gaps_delete;
EOF
)

# tamper SQL: a fresh copy of the good ledger, changed; then audit.
tamper()
{
	rm -rf "$AGSBX_STATE_DIR"
	cp -a "$GOOD" "$AGSBX_STATE_DIR"
	# What was dropped comes back, so that the edit itself is found.
	sqlite3 "$GOOD/agsbx.db" "SELECT sql || ';' FROM sqlite_schema
	    WHERE type = 'trigger'" >"$T/triggers"
	{
		echo "$DROP $1;"
		grep -v '^CREATE TRIGGER \(controls\|gaps\)_insert' \
		    "$T/triggers"
	} | sqlite3 -bail "$AGSBX_STATE_DIR/agsbx.db" 2>"$T/sql.err" ||
	    fail "sqlite3: $(cat "$T/sql.err")"
	agsbx audit "${@:2}"
}

# A history: four jobs of schema 1, brought to today's; events 1 to 10.
mkdir -m 700 "$AGSBX_STATE_DIR"
sqlite3 "$AGSBX_STATE_DIR/agsbx.db" <"$DATA/ledger-1.sql"
"$AGSBX" recover >/dev/null
rm -f "$AGSBX_STATE_DIR"/*.schema-*

t "what schema 1 wrote is intact after its migration"
agsbx audit
want_rc 0
want_out_re '^intact: 10 events of 3 jobs$'
want_out_re '^head 10:[0-9a-f]{64}$'
want_out_re '^tail not anchored: '

t "what today's schema wrote is intact"
job -q -- true
job -q -- false
agsbx audit
want_rc 0
want_out_re '^intact: 18 events of 5 jobs$'
HEAD=$(sed -n 's/^head //p' "$T/out")
agsbx audit --anchor "$HEAD"
want_rc 0
want_out_re '^anchored$'
sqlite3 "$AGSBX_STATE_DIR/agsbx.db" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
cp -a "$AGSBX_STATE_DIR" "$GOOD"

t "audit changes nothing"
before=$(sha256sum <"$GOOD/agsbx.db")
agsbx audit --state-dir "$GOOD"
want_rc 0
[ "$(sha256sum <"$GOOD/agsbx.db")" = "$before" ] || fail "the file changed"

t "the tests' own handling of the triggers breaks nothing"
tamper "SELECT 1 WHERE 0"
want_rc 0

# NAME|SQL|what audit says of it
while IFS='|' read -r name sql says; do
	t "$name"
	tamper "$sql"
	want_rc 1
	want_out_re "$says"
done <<'EOF'
an edited time|UPDATE events SET at_ms = at_ms + 1 WHERE seq = 2|^broken at event 2, job 01HQTF6H58VXGSQJGGQ65GBBZF: its hash is not
an edited state|UPDATE events SET to_state = 'failed' WHERE seq = 4|^broken at event 4, job 01HQTF6H58[^:]*: its hash is not
an edited digest of a row|UPDATE events SET facts = randomblob(32) WHERE seq = 6|^broken at event 6, job [^:]*: its hash is not
an edited hash|UPDATE events SET hash = randomblob(32) WHERE seq = 6|^broken at event 6, job [^:]*: its hash is not
an edited predecessor|UPDATE events SET prev = randomblob(32) WHERE seq = 6|^broken at event 6, job [^:]*: it does not follow event 5
an event deleted in the middle|DELETE FROM events WHERE seq = 5|^broken at event 5: the event is missing; the next one is 6
the first event deleted|DELETE FROM events WHERE seq = 1|^broken at event 1: the event is missing
a deletion that is renumbered|DELETE FROM events WHERE seq = 5; UPDATE events SET seq = seq - 1 WHERE seq > 5|^broken at event 5, job [^:]*: it does not follow event 4
two events in another order|UPDATE events SET seq = 99 WHERE seq = 2; UPDATE events SET seq = 2 WHERE seq = 3; UPDATE events SET seq = 3 WHERE seq = 99|^broken at event 2, job [^:]*: it does not follow event 1
an event inserted|INSERT INTO events SELECT 19, job, at_ms, from_state, to_state, facts, hash, randomblob(32) FROM events WHERE seq = 18|^broken at event 19, job [^:]*: its hash is not
a verdict edited in the row|UPDATE jobs SET exit_code = 7 WHERE n = 1|^broken at event 4, job 01HQTF6H58VXGSQJGGQ65GBBZF: the row, controls or gaps
a state edited in the row|UPDATE jobs SET state = 'failed' WHERE n = 1|^broken at event 4, job [^:]*: it made the job succeeded, and the row says failed
a waiver taken out of the row|UPDATE jobs SET degraded = 0 WHERE n = 1|^broken at event 4, job [^:]*: the row, controls or gaps
a command edited in the row|UPDATE jobs SET argv = x'6c7300' WHERE n = 1|^broken at event 4, job [^:]*: the row, controls or gaps
a value where there was none|UPDATE jobs SET leaf = '/x' WHERE n = 1|^broken at event 4, job [^:]*: the row, controls or gaps
a read-back edited|UPDATE controls SET got = 9 WHERE control = 'pidns' AND job = (SELECT id FROM jobs WHERE n = 1)|^broken at event 4, job [^:]*: the row, controls or gaps
a gap deleted|DELETE FROM gaps WHERE job = (SELECT id FROM jobs WHERE n = 2)|^broken at event 6, job [^:]*: the row, controls or gaps
a job with all its events deleted|DELETE FROM events WHERE job = (SELECT id FROM jobs WHERE n = 2); DELETE FROM controls WHERE job = (SELECT id FROM jobs WHERE n = 2); DELETE FROM gaps WHERE job = (SELECT id FROM jobs WHERE n = 2); DELETE FROM jobs WHERE n = 2|^broken at event 5: the event is missing
only the row of a job deleted|DELETE FROM jobs WHERE n = 2|^broken at event 6, job [^:]*: the row of its job is missing
a job inserted without an event|CREATE TEMP TABLE x AS SELECT * FROM jobs WHERE n = 1; UPDATE x SET n = 6, id = 'FORGED'; INSERT INTO jobs SELECT * FROM x|^broken, job FORGED: no event tells of the job
two jobs in another order|UPDATE jobs SET n = 99 WHERE n = 1; UPDATE jobs SET n = 1 WHERE n = 2; UPDATE jobs SET n = 2 WHERE n = 99|^broken at event 1, job [^:]*: its job is number 1, and the row says 2
controls of a job that is none|INSERT INTO controls VALUES ('nobody', 'x', 'held', 1, 1, NULL, 0, NULL)|^broken: a row of controls belongs to no job
a column of another table|ALTER TABLE jobs RENAME COLUMN note TO notes|^broken: the table jobs is changed
a table more|CREATE TABLE more (x)|^broken: the table more is not the ledger's
a NUL in an event|UPDATE events SET to_state = CAST(x'68656c6400' AS TEXT) WHERE seq = 2|^broken at event 2, job [^:]*: a text of it holds a NUL
an empty state|UPDATE events SET from_state = '' WHERE seq = 1|^broken at event 1, job [^:]*: it leads from an empty state
EOF

t "a trigger that was dropped for good"
rm -rf "$AGSBX_STATE_DIR"
cp -a "$GOOD" "$AGSBX_STATE_DIR"
sqlite3 "$AGSBX_STATE_DIR/agsbx.db" 'DROP TRIGGER events_update'
agsbx audit
want_rc 1
want_out_re '^broken: the trigger events_update is missing'

t "a removed tail needs an anchor"
CUT="DELETE FROM events WHERE seq > 15; DELETE FROM controls WHERE job =
    (SELECT id FROM jobs WHERE n = 5); DELETE FROM gaps WHERE job =
    (SELECT id FROM jobs WHERE n = 5); DELETE FROM jobs WHERE n = 5"
seq=$(sqlite3 "$GOOD/agsbx.db" 'SELECT min(seq) FROM events WHERE job =
    (SELECT id FROM jobs WHERE n = 5)')
CUT=${CUT/> 15/>= $seq}
tamper "$CUT"
want_rc 0
want_out_re '^tail not anchored'
tamper "$CUT" --anchor "$HEAD"
want_rc 1
want_out_re '^broken at event 18: the anchored event is missing: the ledger ends'

t "a rewrite of everything needs an anchor"
rm -rf "$AGSBX_STATE_DIR"
for i in 1 2 3 4 5; do
	job -q -- true
done
agsbx audit
want_rc 0
agsbx audit --anchor "$HEAD"
want_rc 1
want_out_re '^broken at event 18: it is not the anchored one: its hash is'

t "an earlier anchor says how far it reaches"
agsbx audit --json
SECOND=$(sqlite3 "$AGSBX_STATE_DIR/agsbx.db" \
    "SELECT seq || ':' || hex(hash) FROM events WHERE seq = 4")
agsbx audit --anchor "$SECOND"
want_rc 0
want_out_re '^anchored up to event 4; the tail of 16 after it is not$'

t "the document"
agsbx audit --json --anchor "$SECOND"
want_rc 0
want_json 'd["schema"]' agsbx.audit/1
want_json 'd["intact"]' true
want_json '[d["events"], d["jobs"], d["anchored"], d["not_anchored"]]' \
    '[20, 5, true, 16]'
want_json 'd["broken"]' null
want_json 'd["head"]["seq"]' 20
want_json 'len(d["head"]["hash"])' 64
want_json 'd["anchor"]["seq"]' 4
tamper "UPDATE events SET at_ms = 1 WHERE seq = 2" --json
want_rc 1
want_json 'd["intact"]' false
want_json 'd["broken"]["seq"]' 2
want_json 'd["broken"]["job"]' 01HQTF6H58VXGSQJGGQ65GBBZF
want_json 'd["anchor"]' null

t "an anchor that is none"
for anchor in 4 4:xyz :0 "0:$(printf '%064d' 0)" "x:$(printf '%064d' 0)"; do
	agsbx audit --anchor "$anchor"
	want_rc 1
	want_err_re '^agsbx: --anchor .*: it is the number of an event'
done

t "a ledger that cannot be written is audited as it is"
if [ "$(id -u)" -eq 0 ]; then
	skip "root can write it"
else
	rm -rf "$AGSBX_STATE_DIR"
	cp -a "$GOOD" "$AGSBX_STATE_DIR"
	rm -f "$AGSBX_STATE_DIR"/agsbx.db-*
	chmod 400 "$AGSBX_STATE_DIR/agsbx.db"
	chmod 500 "$AGSBX_STATE_DIR"
	before=$(ls "$AGSBX_STATE_DIR")
	agsbx audit --anchor "$HEAD"
	want_rc 0
	want_out_re '^anchored$'
	[ "$(ls "$AGSBX_STATE_DIR")" = "$before" ] ||
	    fail "files were made: $(ls "$AGSBX_STATE_DIR")"
	chmod 700 "$AGSBX_STATE_DIR"
	printf x >"$AGSBX_STATE_DIR/agsbx.db-wal"
	chmod 500 "$AGSBX_STATE_DIR"
	agsbx audit
	want_rc 1
	want_err_re 'its -wal cannot be read without writing here'
	chmod 700 "$AGSBX_STATE_DIR"
fi

t "no ledger is not an intact one"
agsbx audit --state-dir "$T/nowhere"
want_rc 1
want_err_re 'there is no ledger'

finish
