# shellcheck shell=dash disable=SC2154,SC2086
# (Values here are words without spaces.)
#
# What a guest of the host matrix does, sourced by guest.sh: doctor, a job with
# and without waivers, and the attempts, first naked and then as jobs.  Judges
# nothing; leaves in $OUT what was said, and what the scene saw.
#
# WAIVE   the controls to waive, a LIST; "" none
# FLOOR   yes: no job can run here, whatever is waived
# PYTHON  yes: also a job in python
# NAKED   yes: also the hogs with no sandbox
# LEFT    yes: also a leaf that cannot be removed
AGSBX=$H/agsbx
MEMORY=32 # MiB; every hog wants twice as much
HOG=$((MEMORY * 2))
W=/run/witness # attempt by another name: the scene's processes

# keep NAME COMMAND...: its output, its document and its exit status.
keep()
{
	local name=$1
	shift
	"$@" >"$OUT/$name.out" 2>"$OUT/$name.err" 3>"$OUT/$name.json" </dev/null
	echo $? >"$OUT/$name.rc"
	cat /proc/uptime >"$OUT/$name.at"
}

# job NAME OPTION... -- ARG...: runs attempt with ARG.
job()
{
	local name=$1 options=
	shift
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	keep "$name" user 60 $AGSBX run --json-fd 3 \
	    ${WAIVE:+"--allow-degraded=$WAIVE"} --memory-mb $MEMORY $options \
	    $H/attempt "$@"
}

scene()
{
	rm -f /srv/mine/written /srv/shared/made
	user 300 $W wait &
	user 300 $W wait &
	$W watch /run/seen &
	until grep -q ready /run/seen 2>/dev/null &&
	    [ "$(pgrep -x witness | wc -l)" -eq 3 ]; do
		usleep 50000
	done
	# shellcheck disable=SC2046 # two words
	set -- $(pgrep -f -x "$W wait")
	pid1=$1 pid2=$2
}

alive()
{
	grep -q witness "/proc/$1/cmdline" 2>/dev/null
}

# look NAME: what can be seen of the attempts from outside.
look()
{
	usleep 300000 # the watcher looks every 100 ms
	{
		cat /run/seen
		alive "$pid1" || echo "signal through"
		alive "$pid2" || echo "trace through"
		[ ! -e /srv/mine/written ] || echo "remount through"
		[ ! -e /srv/shared/made ] || echo "setuid through"
	} >"$OUT/$1.scene"
	pkill -x witness
	rm /run/seen
}

props()
{
	mkdir /srv/mine /srv/shared
	echo agsbx-secret >/srv/secret
	echo agsbx-secret >/srv/descriptor
	cp $H/attempt $W
	cp $H/attempt /srv/shared/setuid
	chmod 4755 /srv/shared/setuid
	chown $USER_ID:$USER_ID /srv/mine
	mknod -m 666 /dev/agsbx-hosts c 1 5
}

# crowd keep NAME ...: also the most processes of it that stood at once.
crowd()
{
	local n most=0
	"$@" &
	for _ in 1 2 3 4 5 6; do
		usleep 500000
		n=$(pgrep -x attempt | wc -l)
		[ "$n" -le $most ] || most=$n
	done
	echo $most >"$OUT/$2.most"
	wait $!
}

# The broker is killed: nothing of its job may be left.
death()
{
	job death -- wall 20000 &
	until pgrep -x attempt >"$OUT/death.before" || ! kill -0 $!; do
		usleep 200000
	done
	pkill -9 -x agsbx
	wait $!
	usleep 500000
	pgrep -x attempt >"$OUT/death.after"
}

# A cgroup that somebody made in the leaf keeps it from being removed: its row
# stays open until recover can.
left()
{
	local leaf
	keep left-before user 60 $AGSBX recover # what death() left
	job left -- wall 3000 &
	until leaf=$(find $V2 -type d -name 'agsbx-0*') && [ -n "$leaf" ] ||
	    ! kill -0 $!; do
		usleep 100000
	done
	mkdir "$leaf/held"
	wait $!
	keep left-open user 60 $AGSBX jobs --json
	keep left-stuck user 60 $AGSBX recover
	rmdir "$leaf/held"
	keep left-recover user 60 $AGSBX recover
	keep left-closed user 60 $AGSBX jobs --json
	find $V2 -name 'agsbx-*' >"$OUT/left.after"
}

naked()
{
	scene
	keep naked user 60 $H/attempt each "$pid1" "$pid2" 9</srv/descriptor
	look naked
}

naked_hogs()
{
	cd /tmp || return
	for hog in memory tmpfs sockets; do
		keep naked-$hog user 60 $H/attempt $hog $HOG
	done
	rm -f hog.*
	crowd keep naked-processes user 60 $H/attempt processes $HOG
	keep naked-output user 60 $H/attempt output 1
	keep naked-cpu user 60 $H/attempt cpu 500
	keep naked-wall user 60 $H/attempt wall 2000
	cd /
}

jailed()
{
	scene
	job each --bind /srv/shared --bind-ro /srv/mine \
	    -- each "$pid1" "$pid2" 9</srv/descriptor
	look each
	case ,$WAIVE, in
	*,memory,*) ;; # nothing is promised
	*)
		job memory -- memory $HOG
		job tmpfs --scratch 256M -- tmpfs $HOG
		job sockets -- sockets $HOG ;;
	esac
	job scratch --scratch 4M -- tmpfs 8
	crowd job processes --max-procs 16 -- processes $HOG
	job output --max-output 64K -- output 1
	job cpu --cpu 200ms -- cpu 4000
	job wall --wall 1s -- wall 10000
	death
}

props
keep doctor user 60 $AGSBX doctor --json
keep run user 60 $AGSBX run --json-fd 3 $H/attempt wall 1
[ -z "$WAIVE" ] || keep waived user 60 $AGSBX run --json-fd 3 \
    --allow-degraded="$WAIVE" $H/attempt wall 1
[ -z "$PYTHON" ] || keep python user 60 $AGSBX run -c 'print("hello")'
[ -n "$FLOOR" ] || naked
[ -z "$NAKED" ] || naked_hogs
[ -n "$FLOOR" ] || jailed
[ -z "$LEFT" ] || left
