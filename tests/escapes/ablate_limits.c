/*
 * ablate_limits.c - as ablate_calls.c, for privilege, limits, clocks and what
 * a process inherits.
 */
#include <linux/capability.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <unistd.h>

#include "ablate.h"
#include "launcher.h"

int __real_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
    unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
    unsigned long d);

int
__wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
    unsigned long d)
{
	const int row = ablate_row();

	if ((option == PR_CAPBSET_DROP && ablated(ABL_PV_BSET)) ||
	    (option == PR_CAP_AMBIENT && a == PR_CAP_AMBIENT_CLEAR_ALL &&
		row == CTL_CAPABILITIES && ablated(ABL_PV_CAPS)) ||
	    (option == PR_SET_PDEATHSIG && ablated(ABL_LC_PDEATH)) ||
	    (option == PR_SET_DUMPABLE && a == 0 && row == CTL_DEATH &&
		ablated(ABL_IN_DUMP)))
		return (0);
	return (__real_prctl(option, a, b, c, d));
}

int __real_capset(cap_user_header_t head, const cap_user_data_t data);
int __wrap_capset(cap_user_header_t head, const cap_user_data_t data);

int
__wrap_capset(cap_user_header_t head, const cap_user_data_t data)
{
	if (ablate_row() == CTL_CAPABILITIES && ablated(ABL_PV_CAPS))
		return (0);
	return (__real_capset(head, data));
}

int __real_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit);
int __wrap_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit);

int
__wrap_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	static const struct {
		enum ablation ablation;
		__rlimit_resource_t resource;
	} rows[] = {{ABL_RL_CPU, RLIMIT_CPU}, {ABL_RL_FSIZE, RLIMIT_FSIZE},
	    {ABL_RL_NOFILE, RLIMIT_NOFILE}, {ABL_RL_DATA, RLIMIT_DATA},
	    {ABL_RL_STACK, RLIMIT_STACK}, {ABL_RL_CORE, RLIMIT_CORE},
	    {ABL_RL_MEMLOCK, RLIMIT_MEMLOCK},
	    {ABL_RL_MSGQUEUE, RLIMIT_MSGQUEUE},
	    {ABL_RL_SIGPENDING, RLIMIT_SIGPENDING}};
	struct rlimit soft, now;

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].resource == resource && ablated(rows[i].ablation))
			return (0);
	}
	if (!ablated(ABL_RL_HARD) || getrlimit(resource, &now) == -1)
		return (__real_setrlimit(resource, limit));
	soft = (struct rlimit){limit->rlim_cur, now.rlim_max};
	return (__real_setrlimit(resource, &soft));
}

int __real_close_range(unsigned int first, unsigned int last, int flags);
int __wrap_close_range(unsigned int first, unsigned int last, int flags);

int
__wrap_close_range(unsigned int first, unsigned int last, int flags)
{
	return (
	    ablated(ABL_FD_CLOSE) ? 0 : __real_close_range(first, last, flags));
}

pid_t __real_setsid(void);
pid_t __wrap_setsid(void);

pid_t
__wrap_setsid(void)
{
	return (ablated(ABL_TTY_SETSID) ? getsid(0) : __real_setsid());
}

int __real_execve(const char *path, char *const *argv, char *const *envp);
int __wrap_execve(const char *path, char *const *argv, char *const *envp);

/* The launcher's own environment as well: what ev.clear is about. */
int
__wrap_execve(const char *path, char *const *argv, char *const *envp)
{
	static char *both[1024];
	size_t n = 0;

	if (!ablated(ABL_EV_CLEAR))
		return (__real_execve(path, argv, envp));
	for (; *envp != NULL && n < 512; envp++)
		both[n++] = *envp;
	for (char **e = environ; *e != NULL && n < 1023; e++)
		both[n++] = *e;
	both[n] = NULL;
	return (__real_execve(path, argv, both));
}

int __real_setitimer(__itimer_which_t which, const struct itimerval *value,
    struct itimerval *old);
int __wrap_setitimer(__itimer_which_t which, const struct itimerval *value,
    struct itimerval *old);
int __real_getitimer(__itimer_which_t which, struct itimerval *value);
int __wrap_getitimer(__itimer_which_t which, struct itimerval *value);

static struct itimerval asked; /* relative, and never set */

int
__wrap_setitimer(__itimer_which_t which, const struct itimerval *value,
    struct itimerval *old)
{
	if (!ablated(ABL_CLOCK_WALL))
		return (__real_setitimer(which, value, old));
	asked = *value;
	return (0);
}

int
__wrap_getitimer(__itimer_which_t which, struct itimerval *value)
{
	if (!ablated(ABL_CLOCK_WALL))
		return (__real_getitimer(which, value));
	*value = asked;
	return (0);
}

int __real_getrusage(__rusage_who_t who, struct rusage *usage);
int __wrap_getrusage(__rusage_who_t who, struct rusage *usage);

/* A clock that stands still: neither the dead nor the living are counted. */
int
__wrap_getrusage(__rusage_who_t who, struct rusage *usage)
{
	int rc = __real_getrusage(who, usage);

	if (ablated(ABL_CLOCK_CPU))
		usage->ru_utime = usage->ru_stime = (struct timeval){0};
	return (rc);
}
