/* SPDX-License-Identifier: MIT */
/* keepcall.c — calls of the slow halves of fork and join that keep every general register */
#include <skua/detail/slot.h>

#include <stdlib.h>

/*
 * include/skua/detail/keepcall.h says why.  Called with the slot in rdi; a join's result comes back
 * in rdi; all other general registers are as before, vector registers are not.  The stack is
 * aligned here, so the caller need not know how it stands.  The frame looks like any other to an
 * unwinder: rbp is pushed and points at its saved self.
 */
#if defined(__x86_64__) && !defined(__ILP32__)
__asm__(".macro skua_keepcall name, function, gives\n"
	"	.globl	\\name\n"
	"	.type	\\name, @function\n"
	"	.balign	16\n"
	"\\name:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	push	%rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov	%rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	push	%rax\n"
	"	push	%rcx\n"
	"	push	%rdx\n"
	"	push	%rsi\n"
	"	push	%r8\n"
	"	push	%r9\n"
	"	push	%rdi\n"
	"	and	$-16, %rsp\n"
	"	call	\\function@PLT\n"
	"	lea	-56(%rbp), %rsp\n"
	"	pop	%rdi\n"
	"	.if	\\gives\n"
	"	movzbl	%al, %edi\n"
	"	.endif\n"
	"	pop	%r9\n"
	"	pop	%r8\n"
	"	pop	%rsi\n"
	"	pop	%rdx\n"
	"	pop	%rcx\n"
	"	pop	%rax\n"
	"	pop	%rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size	\\name, . - \\name\n"
	".endm\n"
	".text\n"
	"skua_keepcall skua_fork_keep, skua_fork_slow, 0\n"
	"skua_keepcall skua_join_keep, skua_join_slow, 1\n");
#endif

/* Stands where control never comes; see slot.h. */
void skua_never(void)
{
	abort();
}
