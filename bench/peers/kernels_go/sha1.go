// SPDX-License-Identifier: MIT
// sha1.go — Go: SHA-1 of a few words; the library's needs more stack than a new goroutine has
package main

import "math/bits"

const sha1Words = 5

type sha1State [sha1Words]uint32

var sha1First = sha1State{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}

// sha1Of hashes the state, and one word more where i is not negative; words are never bytes.
func sha1Of(state *sha1State, i int64) sha1State {
	var w [16]uint32
	copy(w[:], state[:])
	if i < 0 {
		w[5], w[15] = 0x80000000, 160
	} else {
		w[5], w[6], w[15] = uint32(i), 0x80000000, 192
	}
	a, b, c, d, e := sha1First[0], sha1First[1], sha1First[2], sha1First[3], sha1First[4]
	t := 0
	for ; t < 16; t++ {
		x := bits.RotateLeft32(a, 5) + (d ^ b&(c^d)) + e + 0x5a827999 + w[t]
		a, b, c, d, e = x, a, bits.RotateLeft32(b, 30), c, d
	}
	for ; t < 20; t++ {
		made := bits.RotateLeft32(w[(t+13)&15]^w[(t+8)&15]^w[(t+2)&15]^w[t&15], 1)
		w[t&15] = made
		x := bits.RotateLeft32(a, 5) + (d ^ b&(c^d)) + e + 0x5a827999 + made
		a, b, c, d, e = x, a, bits.RotateLeft32(b, 30), c, d
	}
	for ; t < 40; t++ {
		made := bits.RotateLeft32(w[(t+13)&15]^w[(t+8)&15]^w[(t+2)&15]^w[t&15], 1)
		w[t&15] = made
		x := bits.RotateLeft32(a, 5) + (b ^ c ^ d) + e + 0x6ed9eba1 + made
		a, b, c, d, e = x, a, bits.RotateLeft32(b, 30), c, d
	}
	for ; t < 60; t++ {
		made := bits.RotateLeft32(w[(t+13)&15]^w[(t+8)&15]^w[(t+2)&15]^w[t&15], 1)
		w[t&15] = made
		x := bits.RotateLeft32(a, 5) + (b&c | d&(b|c)) + e + 0x8f1bbcdc + made
		a, b, c, d, e = x, a, bits.RotateLeft32(b, 30), c, d
	}
	for ; t < 80; t++ {
		made := bits.RotateLeft32(w[(t+13)&15]^w[(t+8)&15]^w[(t+2)&15]^w[t&15], 1)
		w[t&15] = made
		x := bits.RotateLeft32(a, 5) + (b ^ c ^ d) + e + 0xca62c1d6 + made
		a, b, c, d, e = x, a, bits.RotateLeft32(b, 30), c, d
	}
	return sha1State{a + sha1First[0], b + sha1First[1], c + sha1First[2], d + sha1First[3],
		e + sha1First[4]}
}
