/*
 * test_msg_hostile.c - messages as a peer that was taken over would write
 * them.  Each must give its one errno, end the channel and leave no
 * descriptor behind (the list of /proc/self/fd is the same as before).
 */
#include "msg_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

/* Our descriptors and what each is, as text. */
static void
list_fds(char *out, size_t size)
{
	DIR *dir = opendir("/proc/self/fd");
	char target[256];
	struct dirent *d;
	size_t len = 0;
	ssize_t n;

	assert_non_null(dir);
	while ((d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.' || atoi(d->d_name) == dirfd(dir))
			continue;
		n = readlinkat(dirfd(dir), d->d_name, target,
		    sizeof(target) - 1);
		assert_int_not_equal(n, -1);
		target[n] = '\0';
		len += (size_t)snprintf(out + len, size - len, "%s %s\n",
		    d->d_name, target);
		assert_true(len < size);
	}
	(void)closedir(dir);
}

static void
assert_ill(struct channel *ch, enum channel_state s, const struct raw *r,
    int err, const char *what)
{
	static char before[8192];
	static char after[8192];
	int rc;

	set_states(s);
	list_fds(before, sizeof(before));
	rc = receive_raw(ch, r);
	if (rc != -1 || errno != err)
		fail_msg("%s: %d, errno %d, not %d", what, rc, errno, err);
	list_fds(after, sizeof(after));
	assert_string_equal(before, after);
	assert_int_equal(ch->state, CH_DONE);
	assert_int_equal(got.fd_count, 0);
	assert_null(got.body);
	for (size_t i = 0; i < PLAN_FD__MAX; i++)
		assert_int_equal(got.fds[i], -1);
}

static const struct ill {
	const char *what;
	struct raw raw;
	int err;
} ill_plans[] = {
    {"another magic", {.magic_xor = 1}, EPROTO},
    {"an older version", {.version_add = UINT16_MAX}, EPROTONOSUPPORT},
    {"a newer version", {.version_add = 1}, EPROTONOSUPPORT},
    {"a type that does not exist", {.type_add = MSG__MAX}, EPROTO},
    {"the highest type", {.type_add = UINT16_MAX - MSG_PLAN}, EPROTO},
    {"a type of the other side", {.type_add = 1}, EPROTO},
    {"a reserved bit", {.reserved = 0x80000000U}, EPROTO},
    {"a length too small", {.length_add = -1}, EPROTO},
    {"a length too large", {.length_add = 1}, EPROTO},
    {"half a header", {.cut = 8, .body_len = 0}, EPROTO},
    {"one byte", {.cut = 1, .body_len = 0}, EPROTO},
    {"no byte, but descriptors", {.is_empty = true}, EPROTO},
    {"no body", {.body_len = 0}, EPROTO},
    {"a body too large", {.body_len = PLAN_BYTES_MAX + 1}, EPROTO},
    {"the largest datagram", {.body_len = MSG_BYTES_MAX - 15}, EPROTO},
    {"one byte more than fits", {.body_len = MSG_BYTES_MAX - 14}, EBADMSG},
    {"far more than fits", {.body_len = MSG_BYTES_MAX + 40000}, EBADMSG},
    {"a descriptor missing", {.fd_count = 2}, EPROTO},
    {"a descriptor too many", {.fd_count = PLAN_FD__MAX + 1}, EPROTO},
    {"all there is room for", {.fd_count = MSG_FDS_ROOM}, EPROTO},
    {"more than there is room for", {.fd_count = MSG_FDS_ROOM + 1}, EBADMSG},
    {"twice the descriptors", {.fd_count = 3, .is_twice = true}, EPROTO},
    {"credentials as well", {.is_with_pid = true}, EBADMSG},
};

static void
ill_plans_are_refused_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(ill_plans); i++) {
		struct raw r = ill_plans[i].raw;

		r.type = MSG_PLAN;
		if (r.body_len == 0 && r.cut == 0 && !r.is_empty &&
		    strcmp(ill_plans[i].what, "no body") != 0)
			r.body_len = 1000;
		if (r.fd_count == 0)
			r.fd_count = 3;
		assert_ill(&launcher, CH_IDLE, &r, ill_plans[i].err,
		    ill_plans[i].what);
	}
}

/* The plan that those above were changed from is good: they can fail. */
static void
a_good_plan_brings_its_descriptors(void **state)
{
	static char before[8192];
	static char after[8192];

	(void)state;
	list_fds(before, sizeof(before));
	for (unsigned int count = 3; count <= PLAN_FD__MAX; count++) {
		struct raw r = {.type = MSG_PLAN,
		    .body_len = 1000,
		    .fd_count = count};

		set_states(CH_IDLE);
		assert_int_equal(receive_raw(&launcher, &r), 1);
		assert_int_equal(launcher.state, CH_PLANNED);
		assert_int_equal(got.type, MSG_PLAN);
		assert_int_equal(got.body_len, 1000);
		assert_int_equal((uintptr_t)got.body % 8, 0);
		assert_int_equal(got.fd_count, count);
		for (unsigned int i = 0; i < PLAN_FD__MAX; i++) {
			if (i < count)
				assert_int_equal(fcntl(got.fds[i], F_GETFD),
				    FD_CLOEXEC);
			else
				assert_int_equal(got.fds[i], -1);
		}
		msg_close_fds(&got);
		list_fds(after, sizeof(after));
		assert_string_equal(before, after);
	}
}

/* Every type that has a size: a byte less, a byte more, a descriptor. */
static void
sizes_and_descriptors_are_exact(void **state)
{
	static const enum channel_state states[MSG__MAX] = {CH_NEW, CH_IDLE,
	    CH_PLANNED, CH_PLANNED, CH_HELD, CH_RUNNING, CH_RUNNING};

	(void)state;
	for (unsigned int t = 0; t < MSG__MAX; t++) {
		struct channel *ch =
		    goods[t].sender == SIDE_BROKER ? &launcher : &broker;
		struct raw r = {.type = (enum msg_type)t,
		    .body_len = goods[t].body_len,
		    .fd_count = goods[t].fd_count};

		set_states(states[t]);
		assert_int_equal(receive_raw(ch, &r), 1);
		msg_close_fds(&got);
		if (t == MSG_PLAN)
			continue;
		r.fd_count = 1;
		assert_ill(ch, states[t], &r, EPROTO, "a descriptor");
		r.fd_count = 0;
		r.body_len++;
		assert_ill(ch, states[t], &r, EPROTO, "a byte more");
		if (goods[t].body_len == 0)
			continue;
		r.body_len -= 2;
		assert_ill(ch, states[t], &r, EPROTO, "a byte less");
		r.body_len = 0;
		assert_ill(ch, states[t], &r, EPROTO, "no body");
	}
	/* Here the credentials have room, and are still no part of it. */
	struct raw hello = {.type = MSG_HELLO,
	    .body_len = sizeof(struct msg_hello),
	    .is_with_pid = true};
	assert_ill(&broker, CH_NEW, &hello, EPROTO, "credentials");
}

static void
receiving_follows_the_states(void **state)
{
	(void)state;
	for (unsigned int t = 0; t < MSG__MAX; t++) {
		struct channel *ch =
		    goods[t].sender == SIDE_BROKER ? &launcher : &broker;
		struct channel *self = ch == &broker ? &launcher : &broker;
		struct raw r = {.type = (enum msg_type)t,
		    .body_len = goods[t].body_len,
		    .fd_count = goods[t].fd_count};

		for (unsigned int s = 0; s < CH__MAX; s++) {
			enum channel_state next = expected_state(t, s);

			assert_ill(self, (enum channel_state)s, &r, EPROTO,
			    "from the wrong side");
			if (next == CH__MAX) {
				assert_ill(ch, (enum channel_state)s, &r,
				    EPROTO, "in the wrong state");
				continue;
			}
			set_states((enum channel_state)s);
			assert_int_equal(receive_raw(ch, &r), 1);
			assert_int_equal(ch->state, next);
			msg_close_fds(&got);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    CHANNEL_TEST(ill_plans_are_refused_whole),
	    CHANNEL_TEST(a_good_plan_brings_its_descriptors),
	    CHANNEL_TEST(sizes_and_descriptors_are_exact),
	    CHANNEL_TEST(receiving_follows_the_states),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
