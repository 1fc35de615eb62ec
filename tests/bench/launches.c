/*
 * launches.c - starts commands and measures them, interleaved, so that what
 * else the machine does falls on all alike.
 *
 *   launches ROUNDS SECONDS LANES NAME COMMAND [NAME COMMAND]...
 *
 * COMMAND is split at spaces.  First ROUNDS launches of each, one at a time:
 * wall clock and CPU time.  Then each for SECONDS in LANES at once: launches a
 * second.  All is compared with the first command.  Called by bench.sh.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COMMANDS_MAX 8
#define WORDS_MAX 64
#define ROUNDS_MAX 10000
#define LANES_MAX 64

struct command {
	const char *name;
	char *argv[WORDS_MAX + 1];
	double wall_us[ROUNDS_MAX];
	double cpu_us; /* of all rounds */
	double per_second;
};
static struct command commands[COMMANDS_MAX];
static int null_fd;

static void
die(const char *what, int err)
{
	(void)fprintf(stderr, "launches: %s: %s\n", what, strerror(err));
	exit(1);
}

static double
now_us(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) == -1)
		die("clock_gettime", errno);
	return ((double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3);
}

/* CPU time of all children that were waited for. */
static double
children_us(void)
{
	struct rusage ru;

	if (getrusage(RUSAGE_CHILDREN, &ru) == -1)
		die("getrusage", errno);
	return ((double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1e6 +
	    (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec));
}

static void
start(const struct command *c)
{
	pid_t pid = fork();

	if (pid == -1)
		die("fork", errno);
	if (pid > 0)
		return;
	if (dup2(null_fd, STDIN_FILENO) != -1 &&
	    dup2(null_fd, STDOUT_FILENO) != -1)
		(void)execv(c->argv[0], c->argv);
	_exit(127);
}

/* A launch that failed is no launch: its time would flatter. */
static void
finish(const struct command *c)
{
	int status;

	if (wait(&status) == -1)
		die("wait", errno);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		(void)fprintf(stderr, "launches: %s ended with status 0x%x\n",
		    c->name, (unsigned int)status);
		exit(1);
	}
}

static void
measure_latency(size_t count, long rounds)
{
	for (long round = 0; round < rounds; round++)
		for (size_t i = 0; i < count; i++) {
			double cpu = children_us(), wall = now_us();

			start(&commands[i]);
			finish(&commands[i]);
			commands[i].wall_us[round] = now_us() - wall;
			commands[i].cpu_us += children_us() - cpu;
		}
}

static void
measure_throughput(struct command *c, long seconds, long lanes)
{
	double begin = now_us();
	double end = begin + (double)seconds * 1e6;
	long running = 0, done = 0;

	for (; running < lanes; running++)
		start(c);
	while (running > 0) {
		finish(c);
		done++;
		if (now_us() < end)
			start(c);
		else
			running--;
	}
	c->per_second = (double)done / ((now_us() - begin) / 1e6);
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return ((x > y) - (x < y));
}

static void
print(size_t count, long rounds)
{
	const struct command *first = &commands[0];
	long middle = rounds / 2;

	(void)printf("%-24s %8s %8s %8s %8s %6s %9s %6s\n", "", "min ms", "p50",
	    "p99", "cpu ms", "ratio", "launch/s", "ratio");
	for (struct command *c = commands; c < commands + count; c++) {
		qsort(c->wall_us, (size_t)rounds, sizeof(double), compare);
		(void)printf("%-24s %8.2f %8.2f %8.2f %8.2f %6.2f %9.1f "
			     "%6.2f\n",
		    c->name, c->wall_us[0] / 1e3, c->wall_us[middle] / 1e3,
		    c->wall_us[rounds * 99 / 100] / 1e3,
		    c->cpu_us / 1e3 / (double)rounds,
		    c->wall_us[middle] / first->wall_us[middle], c->per_second,
		    c->per_second / first->per_second);
	}
}

static void
split(struct command *c, char *text)
{
	size_t n = 0;

	for (char *word; (word = strsep(&text, " ")) != NULL;) {
		if (n == WORDS_MAX)
			die(c->name, E2BIG);
		c->argv[n++] = word;
	}
}

static long
number(const char *text, long max)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*text == '\0' || *end != '\0' || n < 1 || n > max)
		die(text, ERANGE);
	return (n);
}

int
main(int argc, char **argv)
{
	size_t count = 0;
	long rounds, seconds, lanes;

	if (argc < 6 || argc % 2 != 0 || argc > 4 + 2 * COMMANDS_MAX)
		die("ROUNDS SECONDS LANES NAME COMMAND...", EINVAL);
	rounds = number(argv[1], ROUNDS_MAX);
	seconds = number(argv[2], 600);
	lanes = number(argv[3], LANES_MAX);
	for (int i = 4; i < argc; i += 2, count++) {
		commands[count].name = argv[i];
		split(&commands[count], argv[i + 1]);
	}
	if ((null_fd = open("/dev/null", O_RDWR | O_CLOEXEC)) == -1)
		die("/dev/null", errno);
	measure_latency(count, rounds);
	for (size_t i = 0; i < count; i++)
		measure_throughput(&commands[i], seconds, lanes);
	print(count, rounds);
	return (0);
}
