/*
 * text_job.c - what agsbx jobs prints: one line a job, or everything of one
 * job with what was asked for and what the kernel said, control by control.
 * All strings may be a tenant's: they leave through visible_line().
 */
#include <stdlib.h>
#include <string.h>

#include "streams.h"
#include "text.h"
#include "times.h"
#include "utf8.h"

#define COMMAND_COLUMNS 48

/* A hostile string, whole.  -1: out of memory. */
static int
put_visible(FILE *f, const char *s)
{
	char *line = visible_line(s);

	if (line == NULL)
		return (-1);
	(void)fputs(line, f); /* ferror() is asked at the end */
	free(line);
	return (0);
}

/* True for a word that a shell would take as it stands. */
static bool
is_plain_word(const char *word)
{
	return (word[0] != '\0' &&
	    word[strspn(word,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789%+,-./:=@_")] == '\0');
}

static void
put_quoted(FILE *f, const char *word)
{
	if (is_plain_word(word)) {
		(void)fputs(word, f);
		return;
	}
	(void)fputc('\'', f);
	for (; *word != '\0'; word++)
		if (*word == '\'')
			(void)fputs("'\\''", f);
		else
			(void)fputc(*word, f);
	(void)fputc('\'', f);
}

/* argv as a shell would take it, controls made visible; malloced or NULL. */
static char *
command_line(const struct job *j)
{
	char *raw = NULL, *line = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&raw, &len);

	if (f == NULL)
		return (NULL);
	for (char **a = j->argv; a != NULL && *a != NULL; a++) {
		if (a != j->argv)
			(void)fputc(' ', f);
		put_quoted(f, *a);
	}
	if (fclose(f) == 0)
		line = visible_line(raw);
	free(raw);
	return (line);
}

/* Cuts a line of valid UTF-8 to so many characters, with "..." at its end. */
static void
cut(char *line, size_t columns)
{
	size_t len = strlen(line), at = 0, seen = 0, keep = 0;
	uint32_t cp;

	while (at < len && seen < columns) {
		int n = utf8_decode((unsigned char *)line + at, len - at, &cp);

		at += n > 0 ? (size_t)n : 1;
		if (++seen + 3 <= columns)
			keep = at;
	}
	/* "..." is never longer than the three characters it replaces. */
	if (at < len)
		memcpy(line + keep, "...", 4);
}

/* "[network=host] NO-MEMORY-CEILING(rlimit)": what was not as by default; an
 * unwaived gap of a refused job in brackets. */
static void
put_flags(FILE *f, const struct job *j)
{
	if (j->network_host)
		(void)fputs("  [network=host]", f);
	if (j->refusals != JOB_UNKNOWN)
		(void)fprintf(f, "  [and %lld more]", (long long)j->refusals);
	for (unsigned int i = 0; i < j->gap_count; i++)
		(void)fprintf(f, "  %s%s%s", j->gaps[i].is_waived ? "" : "[",
		    j->gaps[i].token, j->gaps[i].is_waived ? "" : "]");
}

int
text_jobs_header(FILE *f)
{
	return (
	    fprintf(f, "%-26s %-9s %-11s %-12s %-20s %8s  %s\n", "ID", "STATE",
		"REASON", "TENANT", "CREATED", "WALL", "COMMAND") < 0 ?
		-1 :
		0);
}

int
text_jobs_row(FILE *f, const struct job *j)
{
	char created[TIMES_SIZE], wall[TEXT_VALUE_SIZE] = "-";
	const char *reason = reason_name(j->reason);
	char *command = command_line(j);

	if (command == NULL)
		return (-1);
	cut(command, COMMAND_COLUMNS);
	if (j->wall_ms != JOB_UNKNOWN)
		(void)text_seconds(j->wall_ms, wall);
	/* Seconds are enough for a list. */
	(void)times_print(j->created_ms, created);
	memcpy(created + sizeof("2024-02-29T23:59:59") - 1, "Z", 2);
	(void)fprintf(f, "%-26s %-9s %-11s %-12s %-20s %8s  %s", j->id,
	    job_state_name(j->state), reason[0] != '\0' ? reason : "-",
	    j->tenant, created, wall, command);
	free(command);
	put_flags(f, j);
	(void)fputc('\n', f);
	return (ferror(f) ? -1 : 0);
}

/* ---- one job ---- */
static void
put_time(FILE *f, const char *label, int64_t ms)
{
	char text[TIMES_SIZE];

	if (ms != JOB_UNKNOWN)
		(void)fprintf(f, "%-9s %s\n", label, times_print(ms, text));
}

static int
put_string(FILE *f, const char *label, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return (0);
	(void)fprintf(f, "%-9s ", label);
	if (put_visible(f, text) == -1)
		return (-1);
	(void)fputc('\n', f);
	return (0);
}

static void
put_stream(FILE *f, const char *label, const struct job_stream *s)
{
	if (s->bytes_seen == JOB_UNKNOWN)
		return;
	(void)fprintf(f, "%-9s %lld bytes%s%s%s\n", label,
	    (long long)s->bytes_seen, s->sha256[0] != '\0' ? ", sha256 " : "",
	    s->sha256, s->is_truncated ? ", truncated" : "");
}

static void
put_usage(FILE *f, const struct job *j)
{
	char text[TEXT_VALUE_SIZE];

	if (j->usage_source == NULL && j->wall_ms == JOB_UNKNOWN)
		return;
	(void)fputs("usage    ", f);
	if (j->wall_ms != JOB_UNKNOWN)
		(void)fprintf(f, " wall %s", text_seconds(j->wall_ms, text));
	if (j->cpu_ms != JOB_UNKNOWN)
		(void)fprintf(f, " cpu %s", text_seconds(j->cpu_ms, text));
	if (j->memory_peak_bytes != JOB_UNKNOWN)
		(void)fprintf(f, " memory %s",
		    text_bytes(j->memory_peak_bytes, text));
	if (j->processes_peak != JOB_UNKNOWN)
		(void)fprintf(f, " processes %lld",
		    (long long)j->processes_peak);
	(void)fputc('\n', f);
}

/* Why a control is not held; its fix. */
static int
put_gap(FILE *f, const struct job_gap *gap)
{
	if (gap == NULL)
		return (0);
	(void)fprintf(f, "  %-14s %s%s", "", gap->token,
	    gap->cause != NULL ? ": " : "");
	if (gap->cause != NULL && put_visible(f, gap->cause) == -1)
		return (-1);
	(void)fputc('\n', f);
	if (gap->fix == NULL || gap->is_waived)
		return (0);
	(void)fprintf(f, "  %-14s fix: ", "");
	if (put_visible(f, gap->fix) == -1)
		return (-1);
	(void)fputc('\n', f);
	return (0);
}

static int
put_control(FILE *f, const struct job *j, enum control ctl)
{
	char want[TEXT_VALUE_SIZE], got[TEXT_VALUE_SIZE];
	const struct readback *row = &j->rows[ctl];
	const char *asked = text_want(ctl, row, want);
	const char *read = text_got(ctl, row, got);

	(void)fprintf(f, "  %-14s %-8s %-12s %s\n", controls[ctl].name,
	    text_control_state(j, ctl), asked != NULL ? asked : "-",
	    read != NULL ? read : "-");
	return (put_gap(f, job_gap_of(j, ctl)));
}

static int
put_confinement(FILE *f, const struct job *j)
{
	if (!j->has_rows) {
		(void)fputs("nothing was read back: the job did not get so "
			    "far\n",
		    f);
		for (unsigned int i = 0; i < j->gap_count; i++)
			if (put_gap(f, &j->gaps[i]) == -1)
				return (-1);
		return (0);
	}
	(void)fprintf(f, "confinement %s\n  %-14s %-8s %-12s %s\n",
	    job_is_complete(j) ? "complete" : "incomplete", "CONTROL", "STATE",
	    "ASKED", "READ BACK");
	for (enum control ctl = 0; ctl < CTL__MAX; ctl++)
		if (put_control(f, j, ctl) == -1)
			return (-1);
	return (0);
}

static int
put_command(FILE *f, const struct job *j)
{
	char *command = command_line(j);

	if (command == NULL)
		return (-1);
	(void)fprintf(f, "command   %s\n", command);
	free(command);
	return (put_string(f, "file", j->file));
}

int
text_job(FILE *f, const struct job *j)
{
	char signal[TEXT_SIGNAL_SIZE];

	(void)fprintf(f, "job       %s\ntenant    %s\nstate     %s%s%s\n",
	    j->id, j->tenant, job_state_name(j->state),
	    j->reason != REASON_NONE ? ", reason " : "",
	    reason_name(j->reason));
	if (put_string(f, "detail", j->detail) == -1 ||
	    put_string(f, "note", j->note) == -1 || put_command(f, j) == -1)
		return (-1);
	if (j->refusals != JOB_UNKNOWN)
		(void)fprintf(f, "more      %lld refusals are counted here\n",
		    (long long)j->refusals);
	if (j->exit_code != JOB_UNKNOWN)
		(void)fprintf(f, "exit      %d\n", j->exit_code);
	if (j->signal != JOB_UNKNOWN)
		(void)fprintf(f, "signal    %d (%s)\n", j->signal,
		    text_signal(j->signal, signal));
	(void)fprintf(f, "network   %s\n", j->network_host ? "host" : "none");
	put_time(f, "created", j->created_ms);
	put_time(f, "started", j->started_ms);
	put_time(f, "ended", j->ended_ms);
	put_usage(f, j);
	put_stream(f, "stdout", &j->out);
	put_stream(f, "stderr", &j->err);
	if (put_string(f, "policy", j->policy_name) == -1 ||
	    put_string(f, "kernel", j->kernel) == -1 ||
	    put_confinement(f, j) == -1)
		return (-1);
	return (ferror(f) ? -1 : 0);
}
