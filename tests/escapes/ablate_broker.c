/*
 * ablate_broker.c - what makes agsbx-test of agsbx: it starts the launcher
 * that can leave things out, tells it which, and leaves out what is its own.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ablate.h"
#include "io.h"
#include "policy.h"
#include "session.h"
#include "spawn.h"
#include "streams.h"

#define HOUR_MS 3600000

int __wrap_launcher_open(struct diag *d);
int __real_execveat(int fd, const char *path, char *const *argv,
    char *const *envp, int flags);
int __wrap_execveat(int fd, const char *path, char *const *argv,
    char *const *envp, int flags);

/* agsbx-launcher-test, beside agsbx-test, or the one that lies. */
int
__wrap_launcher_open(struct diag *d)
{
	char path[2048];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	char *slash;
	int fd = -1;

	if (n > 0) {
		path[n] = '\0';
		slash = strrchr(path, '/');
		(void)stpcpy(slash,
		    getenv(HOSTILE_ENV) != NULL ? "/agsbx-launcher-hostile" :
						  "/agsbx-launcher-test");
		fd = open(path, O_PATH | O_CLOEXEC);
	}
	return (fd != -1 ? fd :
			   diag_set(d, DIAG_INTERNAL,
			       "no agsbx-launcher-test beside agsbx-test"));
}

/* The launcher gets no environment: what the test says, and with ev.clear all
 * of the caller's. */
int
__wrap_execveat(int fd, const char *path, char *const *argv, char *const *envp,
    int flags)
{
	char *few[4] = {NULL};
	size_t n = 0;

	(void)envp;
	for (char **e = environ; *e != NULL; e++) {
		if (n < 3 &&
		    (strncmp(*e, ABLATE_ENV "=", strlen(ABLATE_ENV) + 1) == 0 ||
			strncmp(*e, HOSTILE_ENV "=", strlen(HOSTILE_ENV) + 1) ==
			    0 ||
			strncmp(*e, STUB_ENV "=", strlen(STUB_ENV) + 1) == 0))
			few[n++] = *e;
	}
	return (__real_execveat(fd, path, argv,
	    ablated(ABL_EV_CLEAR) ? environ : few, flags));
}

int __real_close_range(unsigned int first, unsigned int last, int flags);
int __wrap_close_range(unsigned int first, unsigned int last, int flags);
pid_t __real_setsid(void);
pid_t __wrap_setsid(void);

int
__wrap_close_range(unsigned int first, unsigned int last, int flags)
{
	return (
	    ablated(ABL_FD_CLOSE) ? 0 : __real_close_range(first, last, flags));
}

pid_t
__wrap_setsid(void)
{
	return (ablated(ABL_TTY_SETSID) ? getsid(0) : __real_setsid());
}

const char *__real_env_hijack_why(const char *name);
const char *__wrap_env_hijack_why(const char *name);

const char *
__wrap_env_hijack_why(const char *name)
{
	return (ablated(ABL_BR_HIJACK) ? NULL : __real_env_hijack_why(name));
}

int __real_finish_sockets(const struct policy_bind *b, unsigned int most,
    struct diag *d);
int __wrap_finish_sockets(const struct policy_bind *b, unsigned int most,
    struct diag *d);

int
__wrap_finish_sockets(const struct policy_bind *b, unsigned int most,
    struct diag *d)
{
	return (ablated(ABL_BR_NOSOCK) ? 0 : __real_finish_sockets(b, most, d));
}

int __real_pump_open(struct pump **out, const struct pump_options *o,
    int *job_end, struct diag *d);
int __wrap_pump_open(struct pump **out, const struct pump_options *o,
    int *job_end, struct diag *d);

/* br.cap: no ceiling.  fd.pipes: the caller's own descriptor instead. */
int
__wrap_pump_open(struct pump **out, const struct pump_options *o, int *job_end,
    struct diag *d)
{
	struct pump_options less = *o;

	if (ablated(ABL_BR_CAP))
		less.limit = UINT64_MAX / 2;
	if (__real_pump_open(out, &less, job_end, d) == -1)
		return (-1);
	if (ablated(ABL_FD_PIPES) && o->sink != -1) {
		io_close(job_end);
		*job_end = fcntl(o->sink, F_DUPFD_CLOEXEC, 3);
	}
	return (0);
}

void __real_supervise(struct session *s);
void __wrap_supervise(struct session *s);

/* The soft deadline comes late. */
void
__wrap_supervise(struct session *s)
{
	if (ablated(ABL_BR_WALL))
		s->plan->wall_ms += HOUR_MS;
	__real_supervise(s);
}

int __real_leaf_end(struct leaf *l, struct diag *d);
int __wrap_leaf_end(struct leaf *l, struct diag *d);

/* A later run removes it, once it is empty and old. */
int
__wrap_leaf_end(struct leaf *l, struct diag *d)
{
	return (ablated(ABL_CG_KILL) ? 0 : __real_leaf_end(l, d));
}
