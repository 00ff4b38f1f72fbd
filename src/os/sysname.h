/* SPDX-License-Identifier: MIT */
/* sysname.h — what the running system calls itself */
#ifndef SKUAI_OS_SYSNAME_H
#define SKUAI_OS_SYSNAME_H

#include <stddef.h>

/* "x86_64" and "Linux 6.1.0-40-amd64"; empty when the system does not say. */
void skuai_sysname_read(char *arch, size_t arch_room, char *kernel, size_t kernel_room);

#endif
