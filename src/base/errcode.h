/* SPDX-License-Identifier: MIT */
/* errcode.h — from the system's errno to our codes */
#ifndef SKUAI_BASE_ERRCODE_H
#define SKUAI_BASE_ERRCODE_H

/* The SKUA_E* code for an errno value; SKUA_OK for 0.  Does not touch errno. */
int skuai_error_from_errno(int error);

#endif
