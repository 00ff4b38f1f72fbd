// SPDX-License-Identifier: MIT
// matrices.go — Go: matmul and strassen over matrices cut into quarters, laid out as in quads.h
package main

import "sync"

const (
	tile         = 64
	strassenLeaf = 128
	products     = 7
	sumQuarters  = 10
	workQuarters = 13 // of each level: ten sums, then M1, M4, M5
)

type quads struct {
	n             int
	a, b, c, work []float32
	random        uint64
}

func nextRandom(state *uint64) uint64 {
	*state = *state*6364136223846793005 + 1442695040888963407
	return *state >> 33
}

func newQuads(n, room int) *quads {
	q := &quads{n: n, a: make([]float32, n*n), b: make([]float32, n*n), c: make([]float32, n*n),
		work: make([]float32, room), random: 1}
	random := uint64(n)
	for i := range q.a {
		q.a[i] = float32(nextRandom(&random)%3) - 1
		q.b[i] = float32(nextRandom(&random)%3) - 1
	}
	return q
}

func clear(c []float32) {
	for i := range c {
		c[i] = 0
	}
}

// multiplyTile is the leaf: c += a b.
func multiplyTile(c, a, b []float32) {
	for i := 0; i < tile; i++ {
		row := c[i*tile:][:tile]
		for k := 0; k < tile; k++ {
			x, other := a[i*tile+k], b[k*tile:][:tile]
			for j := range row {
				row[j] += x * other[j]
			}
		}
	}
}

func multiplyPlain(c, a, b []float32, n int) {
	if n == tile {
		multiplyTile(c, a, b)
		return
	}
	half, q := n/2, n*n/4
	for k := 0; k < 2; k++ {
		multiplyPlain(c, a[k*q:], b[2*k*q:], half)
		multiplyPlain(c[q:], a[k*q:], b[2*k*q+q:], half)
		multiplyPlain(c[2*q:], a[2*q+k*q:], b[2*k*q:], half)
		multiplyPlain(c[3*q:], a[2*q+k*q:], b[2*k*q+q:], half)
	}
}

// --- the judge: both sides times a random vector ---

func place(n, row, column int) int {
	at := 0
	for n > tile {
		n /= 2
		at += (2*(row/n) + column/n) * n * n
		row %= n
		column %= n
	}
	return at + row*tile + column
}

func apply(m []float32, n int, x []int64) []int64 {
	y := make([]int64, n)
	for row := range y {
		for column := 0; column < n; column += tile {
			for j, element := range m[place(n, row, column):][:tile] {
				y[row] += int64(element) * x[column+j]
			}
		}
	}
	return y
}

func (q *quads) isRight() bool {
	x := make([]int64, q.n)
	for i := range x {
		x[i] = int64(nextRandom(&q.random))
	}
	left, right := apply(q.a, q.n, apply(q.b, q.n, x)), apply(q.c, q.n, x)
	for i := range left {
		if left[i] != right[i] {
			return false
		}
	}
	return true
}

// --- matmul ---

func matmul(c, a, b []float32, n int) {
	if n == tile {
		multiplyTile(c, a, b)
		return
	}
	half, q := n/2, n*n/4
	for k := 0; k < 2; k++ {
		var group sync.WaitGroup
		fork := func(c, a, b []float32) {
			matmul(c, a, b, half)
			group.Done()
		}
		group.Add(3)
		go fork(c[3*q:], a[2*q+k*q:], b[2*k*q+q:])
		go fork(c[2*q:], a[2*q+k*q:], b[2*k*q:])
		go fork(c[q:], a[k*q:], b[2*k*q+q:])
		matmul(c, a[k*q:], b[2*k*q:], half)
		group.Wait()
	}
}

func matmulKernel(size string, _ int) []figure {
	n := map[string]int{"128": 128, "1024": 1024}[size]
	if n == 0 {
		return nil
	}
	q := newQuads(n, 0)
	return one(waiting, func() { clear(q.c) }, func() { matmul(q.c, q.a, q.b, n) }, q.isRight)
}

// --- strassen ---

func strassenRoom(n int) int {
	if n <= strassenLeaf {
		return 0
	}
	return workQuarters*n*n/4 + products*strassenRoom(n/2)
}

func addQuarter(to, x []float32, sign float32, y []float32) []float32 {
	x, y = x[:len(to)], y[:len(to)]
	for i := range to {
		to[i] = x[i] + sign*y[i]
	}
	return to
}

// factors makes what product m is made of; sums are ten quarters.
func factors(m, q int, a, b, sums []float32) (left, right []float32) {
	a11, a12, a21, a22 := a[:q], a[q:2*q], a[2*q:3*q], a[3*q:4*q]
	b11, b12, b21, b22 := b[:q], b[q:2*q], b[2*q:3*q], b[3*q:4*q]
	add := func(sum int, x []float32, sign float32, y []float32) []float32 {
		return addQuarter(sums[sum*q:][:q], x, sign, y)
	}
	switch m {
	case 0:
		return add(0, a11, 1, a22), add(1, b11, 1, b22)
	case 1:
		return add(2, a21, 1, a22), b11
	case 2:
		return a11, add(3, b12, -1, b22)
	case 3:
		return a22, add(4, b21, -1, b11)
	case 4:
		return add(5, a11, 1, a12), b22
	case 5:
		return add(6, a21, -1, a11), add(7, b11, 1, b12)
	}
	return add(8, a12, -1, a22), add(9, b21, 1, b22)
}

// putTogether has M7, M3, M2 and M6 in the quarters of c.
func putTogether(c []float32, q int, m1, m4, m5 []float32) {
	c11, c12, c21, c22 := c[:q], c[q:2*q], c[2*q:3*q], c[3*q:4*q]
	for i := range c11 {
		c22[i] += m1[i] - c21[i] + c12[i]
		c11[i] += m1[i] + m4[i] - m5[i]
		c12[i] += m5[i]
		c21[i] += m4[i]
	}
}

func strassen(c, a, b, work []float32, n int) {
	if n <= strassenLeaf {
		clear(c[:n*n])
		multiplyPlain(c, a, b, n)
		return
	}
	q, room := n*n/4, strassenRoom(n/2)
	extra := work[sumQuarters*q : workQuarters*q]
	m1, m4, m5 := extra[:q], extra[q:2*q], extra[2*q:]
	to := [products][]float32{m1, c[2*q:], c[q:], m4, m5, c[3*q:], c}
	var group sync.WaitGroup
	group.Add(products)
	for m := range to {
		left, right := factors(m, q, a, b, work)
		go func(m int) {
			strassen(to[m][:q], left, right, work[workQuarters*q+m*room:], n/2)
			group.Done()
		}(m)
	}
	group.Wait()
	putTogether(c, q, m1, m4, m5)
}

func strassenKernel(size string, _ int) []figure {
	n := map[string]int{"256": 256, "1024": 1024}[size]
	if n == 0 {
		return nil
	}
	q := newQuads(n, strassenRoom(n))
	body := func() { strassen(q.c, q.a, q.b, q.work, n) }
	return one(waiting, func() { clear(q.c) }, body, q.isRight)
}
