/*
 * fuzz_policy.c - a policy file of any bytes: it is refused with a message
 * that names the file, or it gives a policy whose canonical text reads back as
 * the same policy, and a plan that the launcher would take.
 */
#include <sys/mman.h>

#include <unistd.h>

#include "fuzz.h"
#include "plan.h"
#include "policy.h"

#define FILE_MAX 4096U

static int fd = -1;
static char path[64];

/* The file at path holds these bytes. */
static void
set_file(const void *bytes, size_t size)
{
	if (fd == -1) {
		fd = memfd_create("policy", MFD_CLOEXEC);
		MUST(fd != -1);
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	MUST(ftruncate(fd, 0) == 0);
	MUST(pwrite(fd, bytes, size, 0) == (ssize_t)size);
}

/* A finished policy from the file, or NULL. */
static struct policy *
load(struct diag *d)
{
	struct policy *p = policy_new();

	MUST(p != NULL);
	*d = (struct diag){.code = DIAG_NONE};
	if (policy_load(p, path, true, d) == 0 && policy_finish(p, d) == 0)
		return (p);
	must_be_told(d);
	policy_free(p);
	return (NULL);
}

static void
must_make_a_plan(struct policy *p)
{
	static const char *const argv[] = {"/bin/true", NULL};
	const struct job_command cmd = {.argv = argv};
	static struct plan plan;
	struct diag d = {.code = DIAG_NONE};

	if (policy_plan(p, &cmd, CONTROL_ALL & ~p->waived, &plan, &d) == -1) {
		must_be_told(&d);
		return;
	}
	MUST(plan_check(&plan) == STEP_NONE);
	for (unsigned int i = 0; i < plan.envc; i++)
		MUST(strncmp(plan.envp[i], "LD_", 3) != 0);
}

/* Values of variables are not printed, so only the rest can be compared. */
static void
must_read_back(const struct policy *p)
{
	char *text = policy_print(p);
	struct policy *second;
	struct diag d;

	MUST(text != NULL);
	set_file(text, strlen(text));
	second = load(&d);
	if (second == NULL)
		(void)fprintf(stderr, "%s\n%s\n", d.message, text);
	MUST(second != NULL);
	MUST(strcmp(p->sha256, second->sha256) == 0);
	policy_free(second);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct policy *p;
	struct diag d;

	if (size > FILE_MAX)
		return (-1);
	set_file(data, size);
	p = load(&d);
	if (p == NULL)
		return (0);
	must_make_a_plan(p);
	if (p->env_count == 0)
		must_read_back(p);
	policy_free(p);
	return (0);
}
