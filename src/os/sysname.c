/* SPDX-License-Identifier: MIT */
/* sysname.c — what the running system calls itself */
#include "os/sysname.h"

#include "os/systext.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

void skuai_sysname_read(char *arch, size_t arch_room, char *kernel, size_t kernel_room)
{
	struct utsname names;
	char both[sizeof(names.sysname) + sizeof(names.release) + 1];

	arch[0] = kernel[0] = '\0';
	if (uname(&names) != 0) /* fails for a bad address alone, so it has no fault point */
		return;
	snprintf(both, sizeof(both), "%s %s", names.sysname, names.release);
	skuai_text_show((struct skuai_text){ names.machine, strlen(names.machine) }, arch,
			arch_room);
	skuai_text_show((struct skuai_text){ both, strlen(both) }, kernel, kernel_room);
}
