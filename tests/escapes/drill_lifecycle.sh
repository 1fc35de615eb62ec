# shellcheck shell=bash disable=SC2153 # drill.sh sets STATE
# drill_lifecycle.sh - outliving agsbx, or lying about the end: see
# lifecycle.def.  Sourced by drill.sh.

WALL_S=1
GRACE_S=1
SLACK_S=3 # the broker's own, and that of a busy host

# begin SCRIPT ARG...: agsbx run ARG... -- sh -c SCRIPT in the background; waits
# until the job has marked.  BROKER, LAUNCHER, INIT are their pids.
begin()
{
	local script=$1
	shift
	: >"$D/shown/marker"
	(job --bind "$D/shown:/shown" "$@" -- sh -c "$script" \
	    >"$D/out" 2>"$D/err") &
	BROKER=$!
	until_true 10 eval "test -s '$D/shown/marker' ||
	    ! kill -0 $BROKER 2>/dev/null"
	[ -s "$D/shown/marker" ] ||
	    said "$D/err"
	LAUNCHER=$(pgrep -P "$BROKER" | head -1)
	INIT=$(pgrep -P "$LAUNCHER" | head -1)
}
MARKS='while :; do echo >>/shown/marker; sleep 0.1; done'

# It is over, or has got out.
judge_marker()
{
	! moves "$D/shown/marker" || escaped
	refused nothing
}
# The same, after every deadline.
judge_deadline()
{
	sleep $((WALL_S + GRACE_S + SLACK_S))
	judge_marker
}

lc_launcher_killed()
{
	begin "$MARKS"
	kill -KILL "$LAUNCHER"
	sleep 0.5
	judge_marker
}
lc_broker_killed()
{
	begin "$MARKS"
	kill -KILL "$BROKER"
	sleep 0.5
	judge_marker
}
lc_init_killed()
{
	begin "$MARKS"
	kill -KILL "$INIT"
	sleep 0.5
	judge_marker
}
# stop WHO: stopped while the job still runs, which takes a busy host a while.
stop()
{
	WALL_S=5
	begin "$MARKS" --wall "$WALL_S"
	kill -STOP "${!1}"
	moves "$D/shown/marker" || lost "the job was over before"
	judge_deadline
}
lc_stop_broker()
{
	stop BROKER
}
lc_stop_launcher()
{
	stop LAUNCHER
}
lc_stop_init()
{
	stop INIT
}
lc_ignore_term()
{
	begin "trap '' TERM INT HUP; $MARKS" --wall "$WALL_S"
	judge_deadline
}

# It marks no more, and must be gone all the same.
lc_wall_stopped()
{
	begin 'echo >>/shown/marker; kill -STOP $$' --wall "$WALL_S"
	sleep $((WALL_S + GRACE_S + SLACK_S))
	! kill -0 "$BROKER" 2>/dev/null || escaped
	refused nothing
}

# A child keeps stdout open; the reader waits for its end.
lc_hold_stdout()
{
	local first last script='sleep 9 & echo up'
	mkfifo "$D/pipe"
	if [ -n "$NAKED" ]; then
		sh -c "$script" >"$D/pipe" &
	else
		(job -q -- sh -c "$script" >"$D/pipe" 2>"$D/err") &
	fi
	{
		read -r _ || said "$D/err"
		first=$(date +%s%N)
		cat >/dev/null
		last=$(date +%s%N)
	} <"$D/pipe"
	[ $((last - first)) -lt 1800000000 ] || escaped
	refused nothing
}

# An orphan ends with 0, and then the job with 7.
lc_forge_exit()
{
	(job -q -- sh -c '( (exit 0) & ); sleep 0.5; exit 7' 2>"$D/err")
	case $(sql 'SELECT exit_code FROM jobs') in
	7) refused nothing ;;
	0) escaped ;;
	esac
}

# Two at once, beside a job that runs.
lc_recover_twice()
{
	local one two state
	begin "$MARKS"
	agsbx recover --state-dir "$STATE" >"$D/one" 2>&1 &
	one=$!
	agsbx recover --state-dir "$STATE" >"$D/two" 2>&1 &
	two=$!
	wait "$one" "$two"
	state=$(sql 'SELECT state FROM jobs')
	moves "$D/shown/marker" || state=dead
	case $state in
	running) refused nothing ;;
	reaped | dead) escaped ;;
	esac
}
