/*
 * doc_build.c - values into a JSON document.  All output is ASCII: a control,
 * C1 or bidi character in a job's bytes leaves as an escape, so that a
 * document is harmless on a terminal and valid UTF-8 whatever it holds.
 * Called by the other doc files only.
 */
#include <stdlib.h>
#include <string.h>

#include "doc_int.h"
#include "streams.h"
#include "times.h"
#include "utf8.h"

void
doc_begin(struct doc *doc, const char *schema, bool is_bare)
{
	*doc = (struct doc){.top = json_object()};
	doc->is_failed = doc->top == NULL;
	doc_text(doc, doc->top, "schema", schema);
	if (!is_bare)
		doc_text(doc, doc->top, "agsbx_version", AGSBX_VERSION);
}

char *
doc_print(struct doc *doc)
{
	char *text = NULL, *line = NULL;
	size_t len;

	if (!doc->is_failed)
		text = json_dumps(doc->top, JSON_ENSURE_ASCII);
	json_decref(doc->top);
	doc->top = NULL;
	if (text == NULL)
		return (NULL);
	len = strlen(text);
	if ((line = realloc(text, len + 2)) == NULL) {
		free(text);
		return (NULL);
	}
	memcpy(line + len, "\n", 2);
	return (line);
}

/* Takes value, also where it fails. */
static void
put(struct doc *doc, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) == -1)
		doc->is_failed = true;
}

/* What is not UTF-8 becomes visible (\xff): JSON has no other text. */
static json_t *
text_value(const char *text)
{
	json_t *value;
	char *line;

	if (text == NULL)
		return (json_null());
	if (utf8_is_text((const unsigned char *)text, strlen(text)))
		return (json_string(text));
	if ((line = visible_line(text)) == NULL)
		return (NULL);
	value = json_string(line);
	free(line);
	return (value);
}

void
doc_text(struct doc *doc, json_t *object, const char *key, const char *text)
{
	put(doc, object, key, text_value(text));
}

void
doc_word(struct doc *doc, json_t *object, const char *key, const char *text)
{
	doc_text(doc, object, key, text[0] != '\0' ? text : NULL);
}

void
doc_number(struct doc *doc, json_t *object, const char *key, int64_t value)
{
	put(doc, object, key,
	    value == JOB_UNKNOWN ? json_null() : json_integer(value));
}

void
doc_time(struct doc *doc, json_t *object, const char *key, int64_t ms)
{
	char text[TIMES_SIZE];

	doc_text(doc, object, key,
	    ms == JOB_UNKNOWN ? NULL : times_print(ms, text));
}

void
doc_bool(struct doc *doc, json_t *object, const char *key, bool value)
{
	put(doc, object, key, json_boolean(value));
}

void
doc_null(struct doc *doc, json_t *object, const char *key)
{
	put(doc, object, key, json_null());
}

json_t *
doc_object(struct doc *doc, json_t *object, const char *key)
{
	json_t *value = json_object();

	put(doc, object, key, value);
	return (doc->is_failed ? NULL : value);
}

json_t *
doc_array(struct doc *doc, json_t *object, const char *key)
{
	json_t *value = json_array();

	put(doc, object, key, value);
	return (doc->is_failed ? NULL : value);
}

json_t *
doc_item(struct doc *doc, json_t *array)
{
	json_t *value = json_object();

	if (json_array_append_new(array, value) == -1) {
		doc->is_failed = true;
		return (NULL);
	}
	return (value);
}

void
doc_item_text(struct doc *doc, json_t *array, const char *text)
{
	if (json_array_append_new(array, text_value(text)) == -1)
		doc->is_failed = true;
}
