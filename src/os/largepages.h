/* SPDX-License-Identifier: MIT */
/* largepages.h — memory that will be filled at once, in large pages where there are any */
#ifndef SKUAI_OS_LARGEPAGES_H
#define SKUAI_OS_LARGEPAGES_H

#include <stddef.h>

/*
 * Tell the system that these bytes, which nobody has touched yet, will all be used soon: it may
 * give a large page for each first touch instead of hundreds of small ones.  A hint, errno stays.
 */
void skuai_large_pages(void *memory, size_t bytes);

#endif
