/*
 * seeds.c - writes the golden inputs that are bytes of our own structs, so that
 * they follow every change of the protocol: seeds DIR makes DIR/msg, DIR/plan
 * and DIR/peer.  The others are files of text, in tests/fuzz/corpus.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "msg.h"
#include "unit/plan_fixture.h"
#include "plan_encode.h"

#define FLAG_HEADER 0x1 /* of fuzz_msg.c */

static struct plan plan;
static uint8_t plan_bytes[PLAN_BYTES_MAX];

static int
write_seed(const char *target, const char *name, const void *bytes, size_t len)
{
	char path[128];
	int n, fd, rc;

	if (mkdir(target, 0755) == -1 && errno != EEXIST)
		return (-1);
	n = snprintf(path, sizeof(path), "%s/%s", target, name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return (-1);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	rc = fd == -1 ? -1 : io_write_all(fd, bytes, len);
	io_close(&fd);
	return (rc);
}

/* Every type, said well, in the state that it belongs to. */
static int
write_messages(const uint8_t *plan_wire, size_t plan_len)
{
	static const struct msg_report report = {.count = CTL__MAX};
	static const struct msg_hello hello = {.control_count = CTL__MAX};
	static const struct msg_exited exited = {.cpu_us = 1};
	static const struct msg_kill kill = {.grace_ms = 1000};
	const struct {
		const char *name;
		enum channel_side side;
		enum channel_state state;
		enum msg_type type;
		const void *body;
		size_t len;
		uint8_t fds;
	} rows[] = {
	    {"hello", SIDE_BROKER, CH_NEW, MSG_HELLO, &hello, sizeof(hello), 0},
	    {"plan", SIDE_LAUNCHER, CH_IDLE, MSG_PLAN, plan_wire, plan_len, 4},
	    {"held", SIDE_BROKER, CH_PLANNED, MSG_HELD, &report, sizeof(report),
		0},
	    {"refused", SIDE_BROKER, CH_PLANNED, MSG_REFUSED, &report,
		sizeof(report), 0},
	    {"go", SIDE_LAUNCHER, CH_HELD, MSG_GO, NULL, 0, 0},
	    {"kill", SIDE_LAUNCHER, CH_RUNNING, MSG_KILL, &kill, sizeof(kill),
		0},
	    {"exited", SIDE_BROKER, CH_RUNNING, MSG_EXITED, &exited,
		sizeof(exited), 0},
	};
	static uint8_t seed[8 + MSG_BYTES_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = sizeof(struct msg_header) + rows[i].len;
		struct msg_header h = {PROTO_MAGIC, PROTO_VERSION,
		    (uint16_t)rows[i].type, (uint32_t)len, 0};

		seed[0] = (uint8_t)((rows[i].side == SIDE_LAUNCHER ? 1 : 0) |
		    (unsigned int)rows[i].state << 2);
		seed[1] = rows[i].fds;
		seed[2] = FLAG_HEADER;
		seed[3] = (uint8_t)(len & 0xff);
		seed[4] = (uint8_t)(len >> 8);
		memcpy(seed + 5, &h, sizeof(h));
		if (rows[i].len > 0)
			memcpy(seed + 5 + sizeof(h), rows[i].body, rows[i].len);
		if (write_seed("msg", rows[i].name, seed, 5 + len) == -1)
			return (-1);
	}
	return (0);
}

/* The numbers that fuzz_peer.c plans. */
static uint64_t
want_of(unsigned int ctl)
{
	static const struct {
		enum control ctl;
		uint64_t want;
	} known[] = {{CTL_MEMORY, 512ULL << 20}, {CTL_PROCESSES, 256},
	    {CTL_CPU, 120000}, {CTL_SCRATCH, 256ULL << 20},
	    {CTL_CAPABILITIES, 0}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].ctl == ctl)
			return (known[i].want);
	return (1);
}

static int
write_reports(void)
{
	struct msg_report report = {.init_pid = 2,
	    .job_pid = 3,
	    .count = CTL__MAX};
	struct msg_exited exited = {.wait_status = 0x0100};
	uint8_t seed[2 + sizeof(report)] = {0, 62};

	for (unsigned int c = 0; c < CTL__MAX; c++)
		report.rows[c] = (struct readback){.state = READBACK_HELD,
		    .want = want_of(c),
		    .got = want_of(c)};
	memcpy(seed + 2, &report, sizeof(report));
	if (write_seed("peer", "held", seed, sizeof(seed)) == -1)
		return (-1);
	seed[1] = CTL_LANDLOCK;
	if (write_seed("peer", "unplanned", seed, sizeof(seed)) == -1)
		return (-1);
	report.rows[CTL_LANDLOCK] = (struct readback){.state = READBACK_OFF};
	memcpy(seed + 2, &report, sizeof(report));
	if (write_seed("peer", "off", seed, sizeof(seed)) == -1)
		return (-1);
	report.rows[CTL_MEMORY] = (struct readback){.state = READBACK_FAULT,
	    .step = STEP_READ_BACK,
	    .err = ENOENT};
	seed[0] = 1;
	memcpy(seed + 2, &report, sizeof(report));
	if (write_seed("peer", "refused", seed, sizeof(seed)) == -1)
		return (-1);
	seed[0] = 2;
	memcpy(seed + 2, &exited, sizeof(exited));
	return (write_seed("peer", "exited", seed, 2 + sizeof(exited)));
}

int
main(int argc, char **argv)
{
	long whole, least;

	if (argc != 2 || chdir(argv[1]) == -1) {
		perror("seeds: DIR");
		return (1);
	}
	plan_fixture(&plan);
	whole = plan_encode(&plan, plan_bytes, sizeof(plan_bytes));
	if (whole == -1 ||
	    write_seed("plan", "whole", plan_bytes, (size_t)whole) == -1 ||
	    write_messages(plan_bytes, (size_t)whole) == -1 ||
	    write_reports() == -1) {
		perror("seeds");
		return (1);
	}
	plan.entry_count = plan.envc = plan.has_program = 0;
	plan.program_bytes = 0;
	plan.network_host = 1;
	plan.controls &= ~CONTROL_BIT(CTL_NETNS);
	least = plan_encode(&plan, plan_bytes, sizeof(plan_bytes));
	if (least == -1 ||
	    write_seed("plan", "least", plan_bytes, (size_t)least) == -1) {
		perror("seeds");
		return (1);
	}
	return (0);
}
