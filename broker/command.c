/*
 * command.c - from the command line's CODE, FILE, - or COMMAND to argv and the
 * sealed copy of the program (program.c).  FILE is opened once.  Executes
 * nothing.  Called by run.c before the broker is confined.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "io.h"
#include "lang.h"
#include "plan.h"
#include "program.h"
#include "utf8.h"

/* What is known of a program on the way to its argv. */
struct making {
	struct program program;
	const char *name; /* basename inside; NULL: stem and suffix */
	const char *stem;
	const struct lang *lang; /* NULL: by the first bytes, else python */
	bool is_unbuffered;
};

static int
no_memory(struct diag *d)
{
	return (diag_set(d, DIAG_INTERNAL, "out of memory"));
}

/* The basename, when it can be a name inside; else NULL. */
static const char *
clean_name(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash != NULL ? slash + 1 : file;
	size_t len = strlen(name);

	if (len == 0 || len > NAME_MAX || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0)
		return (NULL);
	for (const char *s = name; *s != '\0'; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return (NULL);
	return (utf8_is_text((const unsigned char *)name, len) ? name : NULL);
}

static int
set_path(struct command *c, const struct making *m, const struct lang *lang,
    struct diag *d)
{
	char made[NAME_MAX + 1];
	const char *name = m->name;

	if (name == NULL) {
		if (lang == NULL)
			(void)strlcpy(made, m->stem, sizeof(made));
		else if (lang_file_name(lang, m->stem, made, sizeof(made)))
			return (no_memory(d));
		name = made;
	}
	if (asprintf(&c->program_path, "%s/%s", PLAN_PROGRAM_DIR, name) == -1) {
		c->program_path = NULL;
		return (no_memory(d));
	}
	return (0);
}

/* argv: up to 3 words of ours (NULLs left out), then the caller's. */
static int
set_argv(struct command *c, const char *const own[3], const char *const *args,
    struct diag *d)
{
	size_t count = 0, n = 0;

	while (args[count] != NULL)
		count++;
	if (count > POLICY_ARGS_MAX - 3)
		return (diag_set(d, DIAG_USAGE,
		    "too many arguments (%zu; at most %u)", count,
		    POLICY_ARGS_MAX - 3));
	c->argv = calloc(count + 4, sizeof(*c->argv));
	if (c->argv == NULL)
		return (no_memory(d));
	for (size_t i = 0; i < 3; i++)
		if (own[i] != NULL)
			c->argv[n++] = own[i];
	memcpy(c->argv + n, args, count * sizeof(*args));
	return (0);
}

static int
set_execution(struct command *c, const struct making *m,
    const char *const *args, struct diag *d)
{
	const struct lang *lang = m->lang;
	enum lang_exec how = EXEC_NONE;

	if (lang == NULL)
		how = lang_exec_by_head(m->program.head, m->program.head_len,
		    m->program.what, d);
	if (how == EXEC_BAD)
		return (-1);
	if (lang == NULL && how == EXEC_NONE)
		lang = lang_default();
	if (set_path(c, m, lang, d) == -1)
		return (-1);
	const char *own[3] = {NULL, NULL, c->program_path};
	if (lang != NULL) {
		own[0] = lang->program;
		own[1] = m->is_unbuffered ? lang->unbuffered : NULL;
	}
	return (set_argv(c, own, args, d));
}

static int
finish_program(struct command *c, struct making *m, const char *const *args,
    struct diag *d)
{
	if (program_seal(&m->program, c->sha256, d) == -1)
		return (-1);
	c->program_bytes = m->program.bytes;
	return (set_execution(c, m, args, d));
}

static int
resolve_code(struct command *c, struct making *m, const char *code, int fd,
    struct diag *d)
{
	(void)c;
	(void)fd;
	m->program.what = "CODE";
	m->stem = "code";
	m->is_unbuffered = true;
	if (m->lang == NULL)
		m->lang = lang_default();
	return (program_add(&m->program, code, strlen(code), d));
}

static int
resolve_stdin(struct command *c, struct making *m, const char *operand, int fd,
    struct diag *d)
{
	(void)c;
	(void)operand;
	(void)fd;
	m->program.what = "standard input";
	m->stem = "stdin";
	m->is_unbuffered = true;
	return (program_add_stream(&m->program, STDIN_FILENO, d));
}

static int
open_file(const char *file, struct diag *d)
{
	/* O_NONBLOCK: a FIFO or a leased file must not hold us up. */
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd == -1 && errno == ENOENT && strchr(file, '/') == NULL)
		(void)diag_set(d, DIAG_COMMAND,
		    "cannot open %s: %s (a command is run as: agsbx run -- %s)",
		    file, strerror(ENOENT), file);
	else if (fd == -1)
		(void)diag_set(d, DIAG_COMMAND, "cannot open %s: %s", file,
		    strerror(errno));
	return (fd);
}

static int
resolve_file(struct command *c, struct making *m, const char *file, int file_fd,
    struct diag *d)
{
	m->program.what = file;
	m->stem = "program";
	m->name = clean_name(file);
	if (m->lang == NULL)
		m->lang = lang_by_suffix(file);
	c->file = strdup(file);
	if (c->file == NULL)
		return (no_memory(d));
	int own_fd = file_fd >= 0 ? -1 : open_file(file, d);
	if (file_fd < 0 && own_fd == -1)
		return (-1);
	int rc =
	    program_add_file(&m->program, file_fd >= 0 ? file_fd : own_fd, d);
	io_close(&own_fd);
	return (rc);
}

/* True when every sandbox has what is there on the host. */
static bool
is_shown(const char *path)
{
	static const char *const shown[] = {"/usr/", "/bin/", "/sbin/", "/lib/",
	    "/lib32/", "/lib64/", "/libx32/", "/dev/", "/proc/"};

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (strncmp(path, shown[i], strlen(shown[i])) == 0)
			return (true);
	return (false);
}

/* For the case that COMMAND is not found inside. */
static int
set_hint(struct command *c, const char *path, struct diag *d)
{
	struct stat st;
	int n;

	if (strchr(path, '/') == NULL || is_shown(path) ||
	    stat(path, &st) == -1)
		return (0);
	if (S_ISREG(st.st_mode))
		n = asprintf(&c->hint,
		    "%s is a file of the host; run it as FILE: agsbx run %s, "
		    "or bind its directory with --bind-ro",
		    path, path);
	else
		n = asprintf(&c->hint, "%s on the host is %s", path,
		    program_file_kind(st.st_mode));
	if (n != -1)
		return (0);
	c->hint = NULL;
	return (no_memory(d));
}

static int
resolve_command(struct command *c, const char *operand, const char *const *args,
    const char *lang, struct diag *d)
{
	const char *own[3] = {operand, NULL, NULL};

	if (lang != NULL)
		return (diag_set(d, DIAG_USAGE,
		    "--lang is for CODE, FILE and -, not for a command"));
	if (operand[0] == '\0')
		return (diag_set(d, DIAG_USAGE, "the command is empty"));
	if (set_hint(c, operand, d) == -1)
		return (-1);
	return (set_argv(c, own, args, d));
}

typedef int resolve_fn(struct command *c, struct making *m, const char *operand,
    int file_fd, struct diag *d);

static resolve_fn *const resolvers[] = {
    [FORM_CODE] = resolve_code,
    [FORM_FILE] = resolve_file,
    [FORM_STDIN] = resolve_stdin,
};

static int
resolve_program(struct command *c, const char *operand, const char *const *args,
    const char *lang, int file_fd, struct diag *d)
{
	struct making m = {.lang = NULL};

	if (lang != NULL && (m.lang = lang_by_name(lang, d)) == NULL)
		return (-1);
	if (program_open(&m.program, d) == -1)
		return (-1);
	c->program_fd = m.program.fd;
	if (resolvers[c->form](c, &m, operand, file_fd, d) == -1)
		return (-1);
	return (finish_program(c, &m, args, d));
}

int
command_resolve(struct command *c, enum command_form form, const char *operand,
    const char *const *args, const char *lang, int file_fd, struct diag *d)
{
	*c = (struct command){.form = form, .program_fd = -1};
	int rc = form == FORM_COMMAND ?
	    resolve_command(c, operand, args, lang, d) :
	    resolve_program(c, operand, args, lang, file_fd, d);
	if (rc == -1)
		command_free(c);
	return (rc);
}

void
command_free(struct command *c)
{
	io_close(&c->program_fd);
	free(c->argv);
	free(c->program_path);
	free(c->file);
	free(c->hint);
	*c = (struct command){.form = c->form, .program_fd = -1};
}
