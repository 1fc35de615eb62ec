/*
 * drive_plan.c - the plans of these tests, made by hand, without the policy
 * layer: the filter allows all but the canary, so that a refusal seen by a test
 * is some other control's.
 */
#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/seccomp.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit/plan_fixture.h"
#include "drive.h"
#include "plan_encode.h"

static const struct sock_filter allow_all[] = {BPF_STMT(BPF_LD | BPF_W |
						       BPF_ABS,
						   0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CANARY_PLAN_NR, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | CANARY_PLAN_ERRNO),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};

void
drive_plan(struct plan *p, const char *const argv[])
{
	static char path[PLAN_PATH_MAX];
	static const char *const links[] = {"/bin", "/lib", "/lib64", "/sbin"};
	struct plan_entry *e;
	struct stat st;

	plan_fixture(p);
	p->controls &= ~(CONTROL_BIT(CTL_MEMORY) | CONTROL_BIT(CTL_CPUSHARE));
	p->has_program = false;
	p->program_bytes = 0;
	p->entry_count = p->argc = p->envc = 0;
	assert_int_equal(stat("/usr", &st), 0);
	e = plan_fixture_entry(p, ENTRY_BIND, "/usr", "/usr");
	e->dev = st.st_dev;
	e->ino = st.st_ino;
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		static const char *const targets[] = {"usr/bin", "usr/lib",
		    "usr/lib64", "usr/sbin"};

		plan_fixture_entry(p, ENTRY_LINK, links[i], targets[i]);
	}
	if (strchr(argv[0], '/') == NULL && argv[0][0] != '\0')
		(void)snprintf(path, sizeof(path), "/usr/bin/%s", argv[0]);
	else
		(void)snprintf(path, sizeof(path), "%s", argv[0]);
	p->argv[p->argc++] = path;
	for (size_t i = 0; argv[i] != NULL; i++)
		p->argv[p->argc++] = argv[i];
	p->argv[p->argc] = NULL;
	plan_fixture_env(p, "PATH=/usr/bin:/bin");
	plan_fixture_env(p, "HOME=" PLAN_WORKDIR);
	p->envp[p->envc] = NULL;
	memcpy(p->filter, allow_all, sizeof(allow_all));
	p->filter_len = sizeof(allow_all) / sizeof(allow_all[0]);
}

void
drive_plan_shell(struct plan *p, const char *script)
{
	drive_plan(p, (const char *const[]){"sh", "-c", script, NULL});
}

static bool
is_there(const struct plan *p, const char *path)
{
	static const char made[] = " /dev /proc /tmp /work ";
	char word[PLAN_PATH_MAX + 2];

	(void)snprintf(word, sizeof(word), " %s ", path);
	for (uint32_t i = 0; i < p->entry_count; i++)
		if (strcmp(p->entries[i].path, path) == 0)
			return (true);
	return (strstr(made, word) != NULL);
}

long
drive_encode(const struct plan *p, uint8_t *bytes, size_t size)
{
	static char paths[PLAN_ENTRIES_MAX][PLAN_PATH_MAX];
	static struct plan whole;
	size_t used = 0;

	whole = *p;
	whole.entry_count = 0;
	for (uint32_t i = 0; i < p->entry_count; i++) {
		const char *path = p->entries[i].path;

		for (const char *end = strchr(path + 1, '/'); end != NULL;
		     end = strchr(end + 1, '/')) {
			(void)snprintf(paths[used], PLAN_PATH_MAX, "%.*s",
			    (int)(end - path), path);
			if (!is_there(&whole, paths[used]))
				plan_fixture_entry(&whole, ENTRY_DIR,
				    paths[used++], "")
				    ->mode = 0755;
		}
		whole.entries[whole.entry_count++] = p->entries[i];
	}
	return (plan_encode(&whole, bytes, size));
}
