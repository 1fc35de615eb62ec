/*
 * catalogue.c - the table of attempts, and the link rule.
 */
#include <errno.h>
#include <signal.h>

#include "attempt.h"
#include "needs.h"
#include "variants.h"
#include "witness.h"

#define LAYER(id, answer) \
	{ \
		ABL_##id, answer \
	}
#define LAYERS(...) \
	{ \
		__VA_ARGS__ \
	}

/* An attempt that nothing can be left out for proves nothing. */
#define ATTEMPT(name, control, witness, tries, layers, ...) \
	_Static_assert(sizeof((const struct layer[])layers) > 0, \
	    "attempt " #name " has no ablation"); \
	char attempt_for_##control;
#define DRILL(name, tries, layers, ...) \
	_Static_assert(sizeof((const struct layer[])layers) > 0, \
	    "drill " #name " has no ablation");
#define RESIDUAL(...)
#include "catalogue.def"
#undef ATTEMPT

/* A control that nobody attacks does not link. */
#define CONTROL(id, ...) extern char attempt_for_##id;
#include "controls.def"
#undef CONTROL

extern const char *const attempts_for_controls[];
const char *const attempts_for_controls[] = {
#define CONTROL(id, ...) &attempt_for_##id,
#include "controls.def"
#undef CONTROL
};

const struct attempt attempts[] = {
#define ATTEMPT(name, ctl, wit, what, cut, ...) \
	{.id = #name, \
	    .control = CTL_##ctl, \
	    .tries = what, \
	    .witness = &witness_##wit, \
	    .layers = cut, \
	    .layer_count = \
		sizeof((const struct layer[])cut) / sizeof(struct layer), \
	    __VA_ARGS__},
#define DRILL(name, what, cut, ...) \
	{.id = #name, \
	    .control = CTL__MAX, \
	    .tries = what, \
	    .witness = &witness_drill, \
	    .is_drill = true, \
	    .layers = cut, \
	    .layer_count = \
		sizeof((const struct layer[])cut) / sizeof(struct layer), \
	    __VA_ARGS__},
#define RESIDUAL_DRILL(name, what, ...) \
	{.id = #name, \
	    .control = CTL__MAX, \
	    .tries = what, \
	    .witness = &witness_drill, \
	    .is_drill = true, \
	    .is_residual = true, \
	    __VA_ARGS__},
#define SKIPPED(name, what, why) \
	{.id = #name, .control = CTL__MAX, .tries = what, .skipped = why},
#define RESIDUAL(name, ctl, wit, what, ...) \
	{.id = #name, \
	    .control = CTL_##ctl, \
	    .tries = what, \
	    .witness = &witness_##wit, \
	    .is_residual = true, \
	    __VA_ARGS__},
#include "catalogue.def"
#undef ATTEMPT
};
const size_t attempt_count = sizeof(attempts) / sizeof(attempts[0]);
