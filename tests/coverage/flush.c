/*
 * flush.c - coverage build only: the counters of a process that is about to
 * end by a signal or to become another program are written first.  Linked into
 * agsbx by --wrap; no other build knows of it.
 */
#include <signal.h>
#include <unistd.h>

void __gcov_dump(void);
int __real_raise(int sig);
int __wrap_raise(int sig);
int __real_execveat(int fd, const char *path, char *const argv[],
    char *const envp[], int flags);
int __wrap_execveat(int fd, const char *path, char *const argv[],
    char *const envp[], int flags);

int
__wrap_raise(int sig)
{
	__gcov_dump();
	return (__real_raise(sig));
}

int
__wrap_execveat(int fd, const char *path, char *const argv[],
    char *const envp[], int flags)
{
	__gcov_dump();
	return (__real_execveat(fd, path, argv, envp, flags));
}
