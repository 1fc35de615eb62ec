/*
 * residual.c - the table of residuals, and which of them a host closes.  Knows
 * a launch that was read back, not how it was made.  Called by text_doctor.c
 * and doc_doctor.c.
 */
#include <stddef.h>

#include "residual.h"

static const struct residual residuals[] = {
#define RESIDUAL(ctl, name, what, because) \
	{.closed_by = CTL_##ctl, \
	    .names = name, \
	    .possible = what, \
	    .why = because},
#include "residuals.def"
#undef RESIDUAL
};

static bool
is_open(const struct job *j, const struct residual *r)
{
	return (r->closed_by == CTL_NONE ||
	    j->rows[r->closed_by].state != READBACK_HELD);
}

const struct residual *
residual_open(const struct job *j, size_t n)
{
	for (size_t i = 0; i < sizeof(residuals) / sizeof(residuals[0]); i++)
		if (is_open(j, &residuals[i]) && n-- == 0)
			return (&residuals[i]);
	return (NULL);
}
