/*
 * capabilities.c - no capability, and no way to gain one.
 *
 * In this order: the ambient set is cleared, the bounding set dropped (which
 * wants CAP_SETPCAP), securebits locked (an id of 0 gives nothing, whatever a
 * program does), then the other sets emptied.  Runs in the job after the last
 * user namespace was entered, because entering one gives all of them back;
 * init does the same for itself.
 */
#include <linux/capability.h>
#include <linux/securebits.h>

#include <sys/prctl.h>

#include <errno.h>

#include "proc.h"
#include "sys.h"

#define SECUREBITS \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | \
	    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | \
	    SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)
#define CAP_LIMIT 64 /* the sets have 64 bits */

static int
bounding_drop(void)
{
	/* A kernel that ends before cap answers EINVAL: it has no such one. */
	for (unsigned long cap = 0; cap < CAP_LIMIT; cap++) {
		if (prctl(PR_CAPBSET_READ, cap) == 1 &&
		    prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == -1)
			return (-1);
	}
	return (0);
}

int
capabilities_drop(struct launch *l)
{
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == -1)
		return (fault_at(l, STEP_AMBIENT, errno, FAULT_HOST));
	if (bounding_drop() == -1)
		return (fault_at(l, STEP_BOUNDING, errno, FAULT_HOST));
	if (prctl(PR_SET_SECUREBITS, SECUREBITS, 0, 0, 0) == -1)
		return (fault_at(l, STEP_SECUREBITS, errno, FAULT_HOST));
	if (prctl(PR_GET_SECUREBITS) != SECUREBITS)
		return (fault_at(l, STEP_SECUREBITS, 0, FAULT_HOST));
	if (sys_capset_none() == -1)
		return (fault_at(l, STEP_CAPSET, errno, FAULT_HOST));
	return (0);
}

int
capabilities_apply(struct launch *l)
{
	return (capabilities_drop(l));
}

int
capabilities_verify(struct launch *l)
{
	static const char *const sets[] = {"CapInh", "CapPrm", "CapEff",
	    "CapBnd", "CapAmb"};
	uint64_t all = 0, set;

	readback_want(l, 0);
	for (unsigned int i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if (proc_status_u64(l, sets[i], 16, &set) == -1)
			return (-1);
		all |= set;
	}
	readback_got(l, all);
	return (all == 0 ? 0 : proc_mismatch(l));
}
