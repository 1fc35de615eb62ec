/*
 * attack_answer.c - what agsbx-attack says of one attempt, out of all that its
 * job printed: hostile bytes, read by line and form alone.  Pure.  Called by
 * attack_judge.c.
 */
#include <stdio.h>
#include <string.h>

#include "attack.h"

static int
hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = c == '\0' ? NULL : strchr(digits, c);

	return (p == NULL ? -1 : (int)(p - digits));
}

static void
read_hex(const char *hex, char out[ATTACK_OUTPUT_MAX + 1])
{
	size_t n = 0;

	for (; n < ATTACK_OUTPUT_MAX; n++) {
		int high = hex_digit(hex[2 * n]);
		int low = high == -1 ? -1 : hex_digit(hex[2 * n + 1]);

		if (low == -1)
			break;
		out[n] = (char)(16 * high + low);
	}
	out[n] = '\0';
}

/* "attempt NAME escaped|absent|errno|signal NUMBER HEX" */
void
attack_read_answer(const char *text, const char *name, struct attack_answer *a)
{
	char head[64], kind[16], *hex;
	const char *line;
	int n, number = 0, used = 0;

	*a = (struct attack_answer){.is_there = false};
	n = snprintf(head, sizeof(head), "\nattempt %s ", name);
	line = text == NULL ? NULL : strstr(text, head);
	if (line == NULL ||
	    sscanf(line + n, "%15s %d%n", kind, &number, &used) != 2)
		return;
	hex = strchr(line + n + used, ' ');
	if (hex == NULL)
		return;
	read_hex(hex + 1, a->output);
	a->has_done_it = strcmp(kind, "escaped") == 0;
	a->is_absent = strcmp(kind, "absent") == 0;
	a->err = strcmp(kind, "errno") == 0 ? number : 0;
	a->signal = strcmp(kind, "signal") == 0 ? number : 0;
	a->is_there =
	    a->has_done_it || a->is_absent || a->err > 0 || a->signal > 0;
}
