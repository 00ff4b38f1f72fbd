// SPDX-License-Identifier: MIT
// counts.go — Go: kernels that count and add: fib, treesum, nqueens, skynet
package main

import "sync"

// --- fib ---

func fib(n int) int64 {
	if n < 2 {
		return int64(n)
	}
	var group sync.WaitGroup
	var a int64
	group.Add(1)
	go func() {
		a = fib(n - 1)
		group.Done()
	}()
	b := fib(n - 2)
	group.Wait()
	return a + b
}

func fibKernel(size string, _ int) []figure {
	n := map[string]int{"20": 20, "32": 32}[size]
	if n == 0 {
		return nil
	}
	answer, next := int64(0), int64(1)
	for i := 0; i < n; i++ {
		answer, next = next, answer+next
	}
	var result int64
	return one(waiting, func() { result = -1 }, func() { result = fib(n) },
		func() bool { return result == answer })
}

// --- treesum ---

type treeNode struct {
	value       int64
	left, right *treeNode // both or neither
}

func treesum(node *treeNode) int64 {
	if node.left == nil {
		return node.value
	}
	var group sync.WaitGroup
	var right int64
	group.Add(1)
	go func() {
		right = treesum(node.right)
		group.Done()
	}()
	left := treesum(node.left)
	group.Wait()
	return node.value + left + right
}

// build makes so many levels of nodes, depth first, and returns what is left of them.
func build(nodes []treeNode, levels int) []treeNode {
	node, rest := &nodes[0], nodes[1:]
	if levels > 1 {
		node.left = &rest[0]
		rest = build(rest, levels-1)
		node.right = &rest[0]
		rest = build(rest, levels-1)
	}
	return rest
}

func treesumKernel(size string, _ int) []figure {
	levels := map[string]int{"31": 5, "64k": 16}[size]
	times := map[string]int{"31": 100, "64k": 30}[size]
	if levels == 0 {
		return nil
	}
	nodes := make([]treeNode, 1<<levels-1)
	build(nodes, levels)
	for i := range nodes {
		nodes[i].value = int64(i)
	}
	n := int64(len(nodes))
	answer, result := n*(n-1)/2*int64(times), int64(0)
	return one(waiting, func() { result = 0 }, func() {
		for i := 0; i < times; i++ {
			result += treesum(&nodes[0])
		}
	}, func() bool { return result == answer })
}

// --- nqueens ---

const queensMax = 16

type board [queensMax]int8 // the column of each row's queen

func (b *board) isFree(row, column int) bool {
	for i := 0; i < row; i++ {
		aside := int(b[i]) - column
		if aside == 0 || aside == row-i || aside == i-row {
			return false
		}
	}
	return true
}

func queens(n, row int, b board) uint64 {
	if row == n {
		return 1
	}
	var group sync.WaitGroup
	var sums [queensMax]uint64
	for column := 0; column < n; column++ {
		if b.isFree(row, column) {
			b[row] = int8(column)
			group.Add(1)
			go func(column int, b board) {
				sums[column] = queens(n, row+1, b)
				group.Done()
			}(column, b)
		}
	}
	group.Wait()
	sum := uint64(0)
	for _, part := range sums[:n] {
		sum += part
	}
	return sum
}

func nqueensKernel(size string, _ int) []figure {
	n := map[string]int{"8": 8, "12": 12}[size]
	answer := map[int]uint64{8: 92, 12: 14200}[n]
	if n == 0 {
		return nil
	}
	var result uint64
	return one(waiting, func() { result = 0 }, func() { result = queens(n, 0, board{}) },
		func() bool { return result == answer })
}

// --- skynet ---

const skynetWide = 10

// skynet sends the sum through a channel, as the benchmark's own program in Go does.
func skynet(to chan<- uint64, first, leaves uint64) {
	if leaves == 1 {
		to <- first
		return
	}
	from := make(chan uint64, skynetWide)
	part := leaves / skynetWide
	for i := uint64(0); i < skynetWide; i++ {
		go skynet(from, first+i*part, part)
	}
	sum := uint64(0)
	for i := 0; i < skynetWide; i++ {
		sum += <-from
	}
	to <- sum
}

func skynetKernel(size string, _ int) []figure {
	leaves := map[string]uint64{"1k": 1000, "1M": 1000000}[size]
	times := map[string]uint64{"1k": 3, "1M": 60}[size]
	if leaves == 0 {
		return nil
	}
	answer, result := leaves*(leaves-1)/2*times, uint64(0)
	pass := func() {
		to := make(chan uint64, 1)
		go skynet(to, 0, leaves)
		result += <-to
	}
	all := one("go and a channel for ten", func() { result = 0 }, func() {
		for i := uint64(0); i < times; i++ {
			pass()
		}
	}, func() bool { return result == answer })
	all[0].warm = pass // one of the many: all of them take a minute
	return all
}
