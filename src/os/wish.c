/* SPDX-License-Identifier: MIT */
/* wish.c — what a variable of the environment asks for: yes, no, or a word nobody knows */
#include "os/wish.h"

#include "base/diag.h"

#include <string.h>

bool skuai_wish(const char *name, const char *text, _Atomic bool *is_told)
{
	if (!text || !*text || strcmp(text, "0") == 0)
		return false;
	if (strcmp(text, "1") == 0)
		return true;
	/* order wish.told.1: relaxed, who asks next says nothing new */
	if (!skua_exchange(is_told, true, relaxed))
		skuai_warn("%s='%.60s' is not used: it is 1 or 0; try %s=1", name, text, name);
	return false;
}
