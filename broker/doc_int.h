/*
 * doc_int.h - inside of the documents, for doc_*.c only.  Owner: doc_build.c.
 *
 * A document is built in one struct doc that remembers the first failure, so
 * that builders need no checks of their own; doc_print() then gives NULL.
 */
#ifndef BROKER_DOC_INT_H
#define BROKER_DOC_INT_H

#include <jansson.h>

#include <stdbool.h>
#include <stdint.h>

#include "doc.h"

struct doc {
	json_t *top;
	bool is_failed;
};

/* Begins a document that has "schema" and, unless bare, "agsbx_version". */
void doc_begin(struct doc *doc, const char *schema, bool is_bare);
/* Ends it: malloced text with a newline, or NULL. */
char *doc_print(struct doc *doc);

/* Put a value under key of an object; NULL and JOB_UNKNOWN become null. */
void
doc_text(struct doc *doc, json_t *object, const char *key, const char *text);
/* "" is unknown as well. */
void
doc_word(struct doc *doc, json_t *object, const char *key, const char *text);
void
doc_number(struct doc *doc, json_t *object, const char *key, int64_t value);
void doc_time(struct doc *doc, json_t *object, const char *key, int64_t ms);
void doc_bool(struct doc *doc, json_t *object, const char *key, bool value);
void doc_null(struct doc *doc, json_t *object, const char *key);
/* A new object or array under key; borrowed. */
json_t *doc_object(struct doc *doc, json_t *object, const char *key);
json_t *doc_array(struct doc *doc, json_t *object, const char *key);
/* A new object, or a text, at the end of an array. */
json_t *doc_item(struct doc *doc, json_t *array);
void doc_item_text(struct doc *doc, json_t *array, const char *text);

/* doc_job.c: the parts that doctor prints as well. */
void doc_put_job(struct doc *doc, json_t *object, const struct job *j);
void doc_put_host(struct doc *doc, json_t *object, const struct job *j);
void doc_put_gaps(struct doc *doc, json_t *object, const struct job *j,
    const char *key, bool is_waived);
void doc_put_control(struct doc *doc, json_t *object, const struct job *j,
    enum control ctl);

#endif
