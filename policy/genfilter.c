/*
 * genfilter.c - prints the compiled filters as C arrays.  Run by the Makefile,
 * never installed: "genfilter floor" makes what both programs link (common),
 * "genfilter policy" what only agsbx does.
 */
#include <err.h>
#include <sha2.h>
#include <stdio.h>
#include <string.h>

#include "policy_seccomp.h"

#define INFOS_MAX 1024

static struct bpf_program prog;

static void
print_insns(const char *name)
{
	uint32_t i;

	printf("static const struct sock_filter %s_insns[] = {\n", name);
	for (i = 0; i < prog.len; i++) {
		const struct sock_filter *f = &prog.insns[i];

		printf("    {0x%x, %u, %u, 0x%x},\n", f->code, f->jt, f->jf,
		    f->k);
	}
	printf("};\nconst struct filter %s = {%s_insns, %u};\n\n", name, name,
	    prog.len);
}

static void
print_filter(enum filter_kind kind, const char *name)
{
	policy_seccomp_compile(kind, &prog);
	print_insns(name);
}

static void
print_floor_id(void)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX ctx;
	size_t i;

	SHA256Init(&ctx);
	SHA256Update(&ctx, (const uint8_t *)prog.insns,
	    prog.len * sizeof(prog.insns[0]));
	SHA256Final(digest, &ctx);
	printf("const uint8_t filter_floor_id[32] = {");
	for (i = 0; i < sizeof(digest); i++)
		printf("%s0x%02x,", i % 8 == 0 ? "\n    " : " ", digest[i]);
	printf("\n};\n");
}

static void
print_infos(void)
{
	static const char *const rules[] = {
	    [RULE_ALLOW] = "RULE_ALLOW",
	    [RULE_FILTERED] = "RULE_FILTERED",
	    [RULE_NEVER] = "RULE_NEVER",
	};
	static struct syscall_info infos[INFOS_MAX];
	size_t n = policy_seccomp_infos(infos, INFOS_MAX);
	size_t i;

	printf("const struct syscall_info syscall_infos[] = {\n");
	for (i = 0; i < n; i++) {
		printf("    {\"%s\", %d, %s, ", infos[i].name, infos[i].nr,
		    rules[infos[i].rule]);
		if (infos[i].why == NULL)
			printf("NULL},\n");
		else
			printf("\"%s\"},\n", infos[i].why);
	}
	printf("};\nconst size_t syscall_info_count = %zu;\n", n);
}

static void
print_floor(void)
{
	printf("#include \"plan.h\"\n\n");
	print_filter(KIND_FLOOR, "filter_floor");
	print_floor_id();
}

static void
print_policy(void)
{
	printf("#include \"filters.h\"\n\n");
	print_filter(KIND_PLAN, "filter_plan");
	print_filter(KIND_PLAN_NO_MEMCG, "filter_plan_no_memcg");
	print_filter(KIND_BROKER, "filter_broker");
	print_infos();
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "floor") == 0)
		print_floor();
	else if (argc == 2 && strcmp(argv[1], "policy") == 0)
		print_policy();
	else
		errx(1, "usage: genfilter floor | policy");
	if (fflush(stdout) != 0 || ferror(stdout))
		err(1, "stdout");
	return (0);
}
