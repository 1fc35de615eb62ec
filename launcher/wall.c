/*
 * wall.c - the hard deadline: wall clock and grace, held by init itself.
 *
 * The broker's softer deadline comes first; this one fires also when broker
 * and launcher are stopped.  CLOCK_MONOTONIC: setting the time moves nothing.
 * The row proves that the timer takes the value; init.c starts it again
 * before the gate opens and ends everything when it fires.
 */
#include <sys/timerfd.h>

#include <errno.h>
#include <string.h>

#include "launcher.h"

static uint64_t
deadline_ms(const struct launch *l)
{
	return (l->plan->wall_ms + l->plan->grace_ms);
}

int
wall_arm(const struct launch *l)
{
	uint64_t ms = deadline_ms(l);
	struct itimerspec want = {.it_value = {.tv_sec = (time_t)(ms / 1000),
				      .tv_nsec = (long)(ms % 1000) * 1000000}};
	struct itimerspec got;

	if (timerfd_settime(l->timer_fd, 0, &want, NULL) == -1 ||
	    timerfd_gettime(l->timer_fd, &got) == -1)
		return (-1);
	/* What is left is never 0 (disarmed), nor more than was asked for. */
	if ((got.it_value.tv_sec == 0 && got.it_value.tv_nsec == 0) ||
	    got.it_value.tv_sec > want.it_value.tv_sec) {
		errno = EINVAL;
		return (-1);
	}
	return (0);
}

int
wall_apply(struct launch *l)
{
	l->timer_fd =
	    timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->timer_fd == -1 || wall_arm(l) == -1)
		return (fault_at(l, STEP_TIMER, errno, FAULT_HOST));
	return (0);
}

int
wall_verify(struct launch *l)
{
	struct itimerspec left, never = {0};

	readback_want(l, deadline_ms(l));
	if (timerfd_gettime(l->timer_fd, &left) == -1 ||
	    timerfd_settime(l->timer_fd, 0, &never, NULL) == -1)
		return (fault_at(l, STEP_TIMER, errno, FAULT_HOST));
	/* What has passed since the timer was set is no difference of it. */
	if ((uint64_t)left.it_value.tv_sec + 1 < deadline_ms(l) / 1000)
		return (fault_at(l, STEP_TIMER, 0, FAULT_HOST));
	readback_got(l, deadline_ms(l));
	return (0);
}
