/* SPDX-License-Identifier: MIT */
/* errcode.c — texts of the error codes, errno translated into them, the version */
#include "base/errcode.h"

#include <skua/error.h>
#include <skua/version.h>

#include <errno.h>

const char *skua_strerror(int error)
{
	switch (error) {
	case SKUA_OK:
		return "no error";
#define ERROR_TEXT(name, value, text) \
	case SKUA_##name:             \
		return text;
		SKUA_ERRORS(ERROR_TEXT)
#undef ERROR_TEXT
	default:
		return error <= -1000 ? "an error of the program's own" : "unknown skua error";
	}
}

int skuai_error_from_errno(int error)
{
	switch (error) {
	case 0:
		return SKUA_OK;
	case EINVAL:
		return SKUA_EINVAL;
	case ENOMEM:
		return SKUA_ENOMEM;
	case EAGAIN:
	case EMFILE:
	case ENFILE:
		return SKUA_EAGAIN;
	case ENOSYS:
	case EOPNOTSUPP:
		return SKUA_ENOTSUP;
	case EPERM:
	case EACCES:
		return SKUA_EPERM;
	case ENOENT:
	case ENOTDIR:
	case ESRCH:
		return SKUA_ENOENT;
	case EIO:
	case ELOOP:
		return SKUA_EIO;
	case ETIMEDOUT:
		return SKUA_ETIMEDOUT;
	default:
		return SKUA_ESYS;
	}
}

int skua_version(void)
{
	return SKUA_VERSION;
}

#define TEXT(x)		 #x
#define EXPANDED_TEXT(x) TEXT(x)

const char *skua_version_text(void)
{
	return EXPANDED_TEXT(SKUA_VERSION_MAJOR) "." EXPANDED_TEXT(
		SKUA_VERSION_MINOR) "." EXPANDED_TEXT(SKUA_VERSION_PATCH);
}
