/*
 * rows.c - runs the rows of the control table and keeps their results.
 *
 * Knows the order, the needs and the states, and how /proc shows a process.
 * Every row is tried: one launch tells all that is wrong with a host.
 */
#include "launcher.h"

static const struct {
	control_fn *apply;
	control_fn *verify;
} fns[CTL__MAX] = {
#define CONTROL(id, symbol, ...) [CTL_##id] = {symbol##_apply, symbol##_verify},
#include "controls.def"
#undef CONTROL
};

bool
fault(struct launch *l, enum step step, int err)
{
	struct readback *row = &l->board->report.rows[l->current];

	row->state = READBACK_FAULT;
	row->step = (uint16_t)step;
	row->err = err;
	return (false);
}

bool
must(struct launch *l, enum step step, int r)
{
	return (r != -1 || fault(l, step, errno));
}

bool
matches(struct launch *l, bool is_same)
{
	return (is_same || fault(l, STEP_READ_BACK, 0));
}

void
readback_set(struct launch *l, uint64_t want, uint64_t got)
{
	l->board->report.rows[l->current].want = want;
	l->board->report.rows[l->current].got = got;
}

bool
readback(struct launch *l, uint64_t want, uint64_t got)
{
	readback_set(l, want, got);
	return (matches(l, got == want));
}

bool
row_is_wanted(const struct launch *l, enum control ctl)
{
	return ((l->plan->controls & CONTROL_BIT(ctl)) != 0);
}

bool
row_is_applied(const struct launch *l, enum control ctl)
{
	unsigned int state = l->board->report.rows[ctl].state;

	return (state == READBACK_APPLIED || state == READBACK_HELD);
}

/* A row function that fails without naming its fault is a bug of ours. */
static void
row_run(struct launch *l, control_fn *fn, enum readback_state done)
{
	struct readback *row = &l->board->report.rows[l->current];

	if (!fn(l) && row->state != READBACK_FAULT)
		(void)fault(l, STEP_NONE, 0);
	if (row->state == READBACK_FAULT)
		return;
	if (done == READBACK_HELD && controls[l->current].unit == UNIT_FLAG)
		readback_set(l, 1, 1);
	row->state = (uint8_t)done;
}

void
rows_apply(struct launch *l, enum control_phase phase)
{
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		const struct readback *row = &l->board->report.rows[ctl];
		enum control need = controls[ctl].needs;

		if (controls[ctl].phase != phase ||
		    row->state != READBACK_PENDING ||
		    (need != CTL_NONE && !row_is_applied(l, need)))
			continue;
		l->current = ctl;
		row_run(l, fns[ctl].apply, READBACK_APPLIED);
		if (row->state == READBACK_APPLIED &&
		    controls[ctl].proof != BY_LAUNCHER)
			row_run(l, fns[ctl].verify, READBACK_HELD);
	}
}

void
rows_verify(struct launch *l)
{
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		l->current = ctl;
		if (controls[ctl].proof == BY_LAUNCHER &&
		    l->board->report.rows[ctl].state == READBACK_APPLIED)
			row_run(l, fns[ctl].verify, READBACK_HELD);
	}
}

void
rows_lost(struct launch *l, enum control first, enum step step, int err)
{
	l->current = first;
	while (l->current < CTL__MAX - 1 &&
	    l->board->report.rows[l->current].state != READBACK_PENDING)
		l->current++;
	(void)fault(l, step, err);
}

bool
rows_are_held(const struct launch *l)
{
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		if (l->board->report.rows[ctl].state !=
		    (row_is_wanted(l, ctl) ? READBACK_HELD : READBACK_OFF))
			return (false);
	return (true);
}

/* All through l->job_proc, opened once: every read is of one process. */
char *
proc_text(struct launch *l, const char *name)
{
	static char text[64 * 1024]; /* status: "Groups:" may name thousands */
	long len = io_read_file(l->job_proc, name, text, sizeof(text));

	return (must(l, STEP_READ_PROC, len == -1 ? -1 : 0) ? text : NULL);
}

bool
proc_is(struct launch *l, const char *name, const char *text)
{
	const char *got = proc_text(l, name);

	return (got != NULL && matches(l, strcmp(got, text) == 0));
}

bool
proc_number(struct launch *l, const char *name, const char *key, int base,
    uint64_t *out)
{
	const char *text = proc_text(l, name);

	return (text != NULL &&
	    must(l, STEP_READ_PROC, io_field_u64(text, key, base, out)));
}

bool
proc_expect(struct launch *l, const char *key, int base, uint64_t want)
{
	uint64_t got;

	return (proc_number(l, "status", key, base, &got) &&
	    matches(l, got == want));
}

void
proc_unescape(char *s)
{
	char *out = s;

	for (; *s != '\0'; s++) {
		*out = *s;
		if (*s == '\\' && strspn(s + 1, "01234567") >= 3) {
			*out = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
			    (s[3] - '0'));
			s += 3;
		}
		out++;
	}
	*out = '\0';
}

bool
stat_field(const char *text, unsigned int n, uint64_t *out)
{
	/* The name in parentheses may hold anything: count from its end. */
	const char *p = strrchr(text, ')');

	for (unsigned int i = 2; p != NULL && i < n; i++)
		p = strchr(p + 1, ' ');
	return (p != NULL && io_parse_u64(p + 1, 10, out) == 0);
}

int
dir_each(int at, const char *path, dir_fn *fn, uint64_t *sum)
{
	_Alignas(struct dirent64) char buf[2048];
	const struct dirent64 *entry;
	ssize_t len;
	int dir = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir == -1)
		return (-1);
	while ((len = getdents64(dir, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < len; i += entry->d_reclen) {
			entry = (const void *)(buf + i);
			if (entry->d_name[0] != '.')
				*sum += fn == NULL ? 1 : fn(dir, entry->d_name);
		}
	io_close(&dir);
	return (len == -1 ? -1 : 0);
}
