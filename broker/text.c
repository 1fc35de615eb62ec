/*
 * text.c - names, values and the closing line, for a person.  Knows struct job
 * and the policy's limits; reads nothing.  Called by run, jobs, doctor and the
 * documents.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"
#include "text.h"

/* snprintf(3) into a buffer that was sized for it. */
static const char *__attribute__((format(printf, 3, 4)))
print(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	if (len < 0 || (size_t)len >= size)
		(void)strlcpy(buf, "?", size);
	return (buf);
}

const char *
text_signal(int signal, char buf[TEXT_SIGNAL_SIZE])
{
	const char *name = sigabbrev_np(signal);

	if (name != NULL)
		return (print(buf, TEXT_SIGNAL_SIZE, "SIG%s", name));
	if (signal >= SIGRTMIN && signal <= SIGRTMAX)
		return (print(buf, TEXT_SIGNAL_SIZE, "SIGRTMIN+%d",
		    signal - SIGRTMIN));
	return (print(buf, TEXT_SIGNAL_SIZE, "signal %d", signal));
}

const char *
text_bytes(int64_t bytes, char buf[TEXT_VALUE_SIZE])
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes;
	int unit = -1;

	while (value >= 1024 && unit < 5) {
		value /= 1024;
		unit++;
	}
	if (unit == -1)
		return (print(buf, TEXT_VALUE_SIZE, "%lld", (long long)bytes));
	return (print(buf, TEXT_VALUE_SIZE, value < 9.95 ? "%.1f%c" : "%.0f%c",
	    value, units[unit]));
}

const char *
text_seconds(int64_t ms, char buf[TEXT_VALUE_SIZE])
{
	long long seconds = ms / 1000;

	if (seconds < 3600)
		return (print(buf, TEXT_VALUE_SIZE, "%lld.%llds", seconds,
		    (long long)ms / 100 % 10));
	return (print(buf, TEXT_VALUE_SIZE, "%lldh%02lldm", seconds / 3600,
	    seconds / 60 % 60));
}

const char *
text_control_state(const struct job *j, enum control ctl)
{
	const struct job_gap *gap = job_gap_of(j, ctl);

	if (j->rows[ctl].state == READBACK_HELD)
		return ("held");
	if (gap != NULL && gap->is_waived)
		return ("waived");
	return (j->rows[ctl].state == READBACK_OFF ? "off" : "refused");
}

static const char *
flag_print(uint64_t value, char *buf, size_t size)
{
	return (print(buf, size, "%s", value != 0 ? "yes" : "no"));
}

static const char *
count_print(uint64_t value, char *buf, size_t size)
{
	return (print(buf, size, "%llu", (unsigned long long)value));
}

/* 0 has no unit. */
static const char *
bytes_print(uint64_t value, char *buf, size_t size)
{
	if (value == 0)
		return (count_print(value, buf, size));
	return (value_print(KIND_SIZE, value, buf, size));
}

static const char *
ms_print(uint64_t value, char *buf, size_t size)
{
	if (value == 0)
		return (count_print(value, buf, size));
	return (value_print(KIND_TIME, value, buf, size));
}

static const char *
abi_print(uint64_t value, char *buf, size_t size)
{
	return (print(buf, size, "ABI %llu", (unsigned long long)value));
}

static const char *
bits_print(uint64_t value, char *buf, size_t size)
{
	return (print(buf, size, "0x%llx", (unsigned long long)value));
}

static const char *(*const unit_prints[])(uint64_t, char *, size_t) = {
    [UNIT_FLAG] = flag_print,
    [UNIT_COUNT] = count_print,
    [UNIT_BYTES] = bytes_print,
    [UNIT_MS] = ms_print,
    [UNIT_ABI] = abi_print,
    [UNIT_BITS] = bits_print,
};

const char *
text_want(enum control ctl, const struct readback *row,
    char buf[TEXT_VALUE_SIZE])
{
	if (row->state == READBACK_OFF)
		return (NULL);
	return (
	    unit_prints[controls[ctl].unit](row->want, buf, TEXT_VALUE_SIZE));
}

const char *
text_got(enum control ctl, const struct readback *row,
    char buf[TEXT_VALUE_SIZE])
{
	bool is_read = row->state == READBACK_HELD ||
	    (row->state == READBACK_FAULT && row->step == STEP_READ_BACK);

	if (!is_read)
		return (NULL);
	return (
	    unit_prints[controls[ctl].unit](row->got, buf, TEXT_VALUE_SIZE));
}

/* ---- the closing line ---- */
static const enum limit reason_limits[REASON__MAX] = {
    [REASON_WALL] = LIMIT_WALL,
    [REASON_CPU] = LIMIT_CPU,
    [REASON_MEMORY] = LIMIT_MEMORY,
    [REASON_PROCESSES] = LIMIT_MAX_PROCS,
    [REASON_OUTPUT] = LIMIT_MAX_OUTPUT,
};

static bool
reason_has_limit(enum reason r)
{
	return (r == REASON_WALL || r == REASON_CPU || r == REASON_MEMORY ||
	    r == REASON_PROCESSES || r == REASON_OUTPUT);
}

/* Why it ended: the verdict's words, else what the reason alone tells. */
static void
put_reason(FILE *f, const struct job *j, const struct policy *p)
{
	char signal[TEXT_SIGNAL_SIZE], value[TEXT_VALUE_SIZE];
	enum limit limit = reason_limits[j->reason];

	if (j->detail != NULL && j->detail[0] != '\0') {
		char *line = visible_line(j->detail);

		(void)fputs(line != NULL ? line : reason_name(j->reason), f);
		free(line);
	} else if (reason_has_limit(j->reason) && p != NULL) {
		(void)fprintf(f, "%s %s (--%s)", limit_infos[limit].what,
		    value_print(limit_infos[limit].kind, p->limits[limit],
			value, sizeof(value)),
		    limit_infos[limit].flag);
	} else if (j->exit_code != JOB_UNKNOWN) {
		(void)fprintf(f, "exit status %d", j->exit_code);
	} else if (j->signal != JOB_UNKNOWN) {
		(void)fprintf(f, "signal %d (%s)", j->signal,
		    text_signal(j->signal, signal));
	} else {
		(void)fputs(reason_name(j->reason), f);
	}
}

/* Limits that were met besides the one that ended the job. */
static void
put_limits_hit(FILE *f, const struct job *j)
{
	const char *before = "; also hit ";

	for (enum reason r = 0; r < REASON__MAX; r++) {
		if (!j->limits_hit[r] || r == j->reason)
			continue;
		(void)fprintf(f, "%s%s", before, reason_name(r));
		before = ", ";
	}
}

static void
put_usage(FILE *f, const struct job *j)
{
	char value[TEXT_VALUE_SIZE];
	const char *before = "; ";

	if (j->wall_ms != JOB_UNKNOWN) {
		(void)fprintf(f, "%swall %s", before,
		    text_seconds(j->wall_ms, value));
		before = " ";
	}
	if (j->cpu_ms != JOB_UNKNOWN) {
		(void)fprintf(f, "%scpu %s", before,
		    text_seconds(j->cpu_ms, value));
		before = " ";
	}
	if (j->memory_peak_bytes != JOB_UNKNOWN)
		(void)fprintf(f, "%smemory %s", before,
		    text_bytes(j->memory_peak_bytes, value));
}

static void
put_confinement(FILE *f, const struct job *j)
{
	const char *before = " ";

	if (!j->has_rows && j->started_ms == JOB_UNKNOWN) {
		(void)fputs("; nothing ran", f);
		return;
	}
	if (job_is_complete(j)) {
		(void)fputs("; confinement complete", f);
		return;
	}
	(void)fprintf(f, "; confinement %s%s",
	    j->started_ms != JOB_UNKNOWN ? "degraded" : "refused",
	    j->gap_count != 0 ? ":" : "");
	for (unsigned int i = 0; i < j->gap_count; i++) {
		(void)fprintf(f, "%s%s", before, j->gaps[i].token);
		before = ", ";
	}
}

char *
text_closing_line(const struct job *j, const struct policy *p)
{
	char *line = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&line, &len);

	if (f == NULL)
		return (NULL);
	(void)fprintf(f, "agsbx: job %s %s: ", j->id, job_state_name(j->state));
	put_reason(f, j, p);
	put_limits_hit(f, j);
	put_usage(f, j);
	put_confinement(f, j);
	/* The stream remembers every failure until here. */
	if (fclose(f) == 0)
		return (line);
	free(line);
	return (NULL);
}
