/*
 * ablate.h - what agsbx-launcher-test and agsbx-test leave out.
 *
 * These two programs are the shipped objects, linked with --wrap against the
 * __wrap_ functions of ablate*.c; nothing in the shipped programs knows of it.
 * AGSBX_ABLATE names what is left out (ablations.def), AGSBX_STUB one control
 * whose apply becomes a no-op, without any other change.
 */
#ifndef TESTS_ABLATE_H
#define TESTS_ABLATE_H

#include <linux/filter.h>

#include <stdbool.h>
#include <stdint.h>

enum ablation {
#define ABLATION(id, ...) ABL_##id,
#include "ablations.def"
#undef ABLATION
	ABL__MAX
};

#define ABLATE_ENV "AGSBX_ABLATE"
#define STUB_ENV "AGSBX_STUB"
#define HOSTILE_ENV "AGSBX_HOSTILE" /* agsbx-launcher-hostile, and as what */
#define BROKER_ENV "AGSBX_ENV" /* what a launcher finds in its environment */

/* Errnos that no kernel gives: each says which filter answered, and why. */
enum sentinel {
	PLAN_UNLISTED = 1099, /* the plan filter: not in the table */
	PLAN_NEVER = 1100,    /* the plan filter: EPERM */
	PLAN_ARGS = 1101,   /* the plan filter: an argument, any other errno */
	FLOOR_NEVER = 1110, /* the floor filter: EPERM */
	FLOOR_OTHER = 1111, /* the floor filter: any other errno */
};

/* ablate.c, for both programs. */
const char *ablation_name(enum ablation a);
/* The number of a name that ends at a comma or NUL; ABL__MAX: unknown. */
enum ablation ablation_find(const char *name);
bool ablated(enum ablation a); /* as AGSBX_ABLATE says */

/* ablate_rows.c, for the launcher: the control that is set or read back right
 * now, an enum control; -1 outside of all rows. */
int ablate_row(void);

/* ablate_filter.c: the filter that is loaded in its place.  out has room for
 * ABLATE_INSNS_MAX; returns the length. */
#define ABLATE_INSNS_MAX 4096U
uint32_t ablate_filter(struct sock_filter *out, const struct sock_filter *in,
    uint32_t len, bool is_floor);

#endif
