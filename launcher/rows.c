/*
 * rows.c - runs the rows of the control table and keeps their results.
 *
 * Knows the order, the needs and the states, and how /proc shows a process;
 * nothing of any control.  Every row is tried and every
 * fault kept, so that one launch tells all that is wrong with a host.  A row
 * that is not HELD keeps the launch from GO.
 */
#include <dirent.h>

#include "launcher.h"

static const struct {
	control_fn *apply;
	control_fn *verify;
} fns[CTL__MAX] = {
#define CONTROL(id, symbol, ...) [CTL_##id] = {symbol##_apply, symbol##_verify},
#include "controls.def"
#undef CONTROL
};

int
fault_at(struct launch *l, enum step step, int err, enum fault_class class)
{
	struct readback *row = &l->board->rows[l->current];

	row->state = READBACK_FAULT;
	row->step = (uint16_t)step;
	row->err = err;
	/* A call that the kernel lacks is nobody's mistake. */
	row->class = err == ENOSYS ? FAULT_HOST : (uint8_t) class;
	return (-1);
}

int
host_fault(struct launch *l, enum step step)
{
	return (fault_at(l, step, errno, FAULT_HOST));
}

int
must(struct launch *l, enum step step, int r)
{
	return (r == -1 ? host_fault(l, step) : 0);
}

bool
fails(struct launch *l, enum step step, int r)
{
	return (must(l, step, r) == -1);
}

int
mismatch(struct launch *l)
{
	return (fault_at(l, STEP_READ_BACK, 0, FAULT_HOST));
}

void
readback_set(struct launch *l, uint64_t want, uint64_t got)
{
	l->board->rows[l->current].want = want;
	l->board->rows[l->current].got = got;
}

int
readback(struct launch *l, uint64_t want, uint64_t got)
{
	readback_set(l, want, got);
	return (got == want ? 0 : mismatch(l));
}

bool
row_is_applied(const struct launch *l, enum control ctl)
{
	unsigned int state = l->board->rows[ctl].state;

	return (state == READBACK_APPLIED || state == READBACK_HELD);
}

/* A row function that fails without naming its fault is a bug of ours. */
static void
row_finish(struct launch *l, int r, enum readback_state done)
{
	struct readback *row = &l->board->rows[l->current];

	if (r != 0 && row->state != READBACK_FAULT)
		(void)fault_at(l, STEP_READ_BACK, 0, FAULT_OURS);
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
		const struct readback *row = &l->board->rows[ctl];
		enum control need = controls[ctl].needs;

		if (controls[ctl].phase != phase ||
		    row->state != READBACK_PENDING ||
		    (need != CTL_NONE && !row_is_applied(l, need)))
			continue;
		l->current = ctl;
		row_finish(l, fns[ctl].apply(l), READBACK_APPLIED);
		if (row->state == READBACK_APPLIED &&
		    controls[ctl].proof != BY_LAUNCHER)
			row_finish(l, fns[ctl].verify(l), READBACK_HELD);
	}
}

void
rows_verify(struct launch *l)
{
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		l->current = ctl;
		if (controls[ctl].proof == BY_LAUNCHER &&
		    l->board->rows[ctl].state == READBACK_APPLIED)
			row_finish(l, fns[ctl].verify(l), READBACK_HELD);
	}
}

void
rows_block(struct launch *l)
{
	struct readback *rows = l->board->rows;

	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		enum control need = controls[ctl].needs;

		if (rows[ctl].state == READBACK_PENDING && need != CTL_NONE &&
		    (rows[need].state == READBACK_FAULT ||
			rows[need].state == READBACK_BLOCKED))
			rows[ctl].state = READBACK_BLOCKED;
	}
}

void
rows_lost(struct launch *l, enum control first, enum step step, int err)
{
	rows_block(l);
	for (l->current = first; l->current < CTL__MAX; l->current++) {
		if (l->board->rows[l->current].state == READBACK_PENDING)
			break;
	}
	if (l->current == CTL__MAX)
		l->current = CTL_PIDNS;
	(void)fault_at(l, step, err, FAULT_OURS);
}

bool
rows_are_held(const struct launch *l)
{
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++) {
		unsigned int state = l->board->rows[ctl].state;
		bool is_wanted = (l->plan->controls & CONTROL_BIT(ctl)) != 0;

		if (state != (is_wanted ? READBACK_HELD : READBACK_OFF))
			return (false);
	}
	return (true);
}

int
proc_of(const struct launch *l)
{
	return (l->proc_fd != -1 ? l->proc_fd : l->host_proc);
}

/* All through l->job_proc, opened once: every read is of one process. */
char *
proc_text(struct launch *l, const char *name)
{
	static char text[64 * 1024]; /* status: "Groups:" may name thousands */

	if (io_read_file(l->job_proc, name, text, sizeof(text)) != -1)
		return (text);
	(void)host_fault(l, STEP_READ_PROC);
	return (NULL);
}

int
proc_number(struct launch *l, const char *name, const char *key, int base,
    uint64_t *out)
{
	const char *text = proc_text(l, name);

	return (text == NULL ?
		-1 :
		must(l, STEP_READ_PROC, io_field_u64(text, key, base, out)));
}

int
proc_expect(struct launch *l, const char *key, int base, uint64_t want)
{
	uint64_t got;

	if (proc_number(l, "status", key, base, &got) == -1)
		return (-1);
	return (got == want ? 0 : mismatch(l));
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

int
stat_field(const char *text, unsigned int n, uint64_t *out)
{
	/* The name in parentheses may hold anything: count from its end. */
	const char *p = strrchr(text, ')');

	for (unsigned int i = 2; p != NULL && i < n; i++)
		p = strchr(p + 1, ' ');
	return (p == NULL ? -1 : io_parse_u64(p + 1, 10, out));
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
	while ((len = getdents64(dir, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < len; i += entry->d_reclen) {
			entry = (const void *)(buf + i);
			if (entry->d_name[0] != '.')
				*sum += fn(dir, entry->d_name);
		}
	}
	io_close(&dir);
	return (len == -1 ? -1 : 0);
}
