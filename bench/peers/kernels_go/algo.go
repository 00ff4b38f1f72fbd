// SPDX-License-Identifier: MIT
// algo.go — Go: reduce, scan, sort and an uneven loop, by hand over goroutines
//
// Go has no parallel algorithms.  Even work is cut into as many parts as there are workers, sorts
// into halves, and an uneven loop into short pieces that are taken from a counter.
package main

import (
	"sort"
	"sync"
	"sync/atomic"
)

const (
	algoReduce, algoScan, algoSort32 = 1, 5, 8 // where the random numbers start: enum algo_case
	sortGrain                        = 1 << 13 // numbers; less is sorted by one; arbitrary
	loopPiece                        = 16      // indices; arbitrary
	loopTurns, loopAll, loopScale    = 78, 100000, 1024
)

func splitmix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	x := *state
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// inParts calls body for each of so many parts of n, all at once.
func inParts(n, parts int, body func(part, first, end int)) {
	var group sync.WaitGroup
	group.Add(parts - 1)
	for part := 1; part < parts; part++ {
		go func(part int) {
			body(part, part*n/parts, (part+1)*n/parts)
			group.Done()
		}(part)
	}
	body(0, 0, n/parts)
	group.Wait()
}

func named(name string, all []figure) figure {
	all[0].name = name
	return all[0]
}

// --- reduce ---

// sumPlain has eight sums side by side: one would wait for each addition.
func sumPlain(x []float32) float32 {
	var a, b, c, d, e, f, g, h float32
	for ; len(x) >= 8; x = x[8:] {
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
		e += x[4]
		f += x[5]
		g += x[6]
		h += x[7]
	}
	for _, last := range x {
		a += last
	}
	return a + b + c + d + e + f + g + h
}

func reduceFigure(n, workers int) figure {
	x, random, answer := make([]float32, n), uint64(algoReduce), int64(0)
	for i := range x {
		x[i] = float32(splitmix(&random)%3) - 1
		answer += int64(x[i])
	}
	var result float32
	run := one("a goroutine for each worker", func() { result = 0.5 }, func() {
		sums := make([]float32, workers)
		inParts(n, workers, func(part, first, end int) {
			sums[part] = sumPlain(x[first:end])
		})
		result = sumPlain(sums)
	}, func() bool { return result == float32(answer) })
	return named("reduce", run)
}

// --- scan ---

func scanPlain(to, x []int64, sum int64) {
	to = to[:len(x)]
	for i := range x {
		sum += x[i]
		to[i] = sum
	}
}

func scan(to, x []int64, workers int) {
	if workers == 1 {
		scanPlain(to, x, 0)
		return
	}
	before := make([]int64, workers+1)
	inParts(len(x), workers, func(part, first, end int) {
		sum := int64(0)
		for _, number := range x[first:end] {
			sum += number
		}
		before[part+1] = sum
	})
	scanPlain(before, before, 0)
	inParts(len(x), workers, func(part, first, end int) {
		scanPlain(to[first:end], x[first:end], before[part])
	})
}

func scanFigure(n, workers int) figure {
	x, to, answer := make([]int64, n), make([]int64, n), make([]int64, n)
	random := uint64(algoScan)
	for i := range x {
		x[i] = int64(splitmix(&random) % 1000000)
	}
	scanPlain(answer, x, 0)
	reset := func() {
		for i := range to {
			to[i] = -1
		}
	}
	body := func() { scan(to, x, workers) }
	run := one("two passes, a goroutine for each worker", reset, body, func() bool {
		for i := range to {
			if to[i] != answer[i] {
				return false
			}
		}
		return true
	})
	return named("scan", run)
}

// --- sort32 ---

func mergeNumbers(a, b, to []uint32) {
	i := 0
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			to[i] = a[0]
			a = a[1:]
		} else {
			to[i] = b[0]
			b = b[1:]
		}
		i++
	}
	copy(to[i:], a)
	copy(to[i+len(a):], b)
}

// sortNumbers leaves them in `other` where it is told so.
func sortNumbers(numbers, other []uint32, intoOther bool) {
	if len(numbers) <= sortGrain {
		sort.Slice(numbers, func(i, j int) bool { return numbers[i] < numbers[j] })
		if intoOther {
			copy(other, numbers)
		}
		return
	}
	half := len(numbers) / 2
	var group sync.WaitGroup
	group.Add(1)
	go func() {
		sortNumbers(numbers[half:], other[half:], !intoOther)
		group.Done()
	}()
	sortNumbers(numbers[:half], other[:half], !intoOther)
	group.Wait()
	if intoOther {
		mergeNumbers(numbers[:half], numbers[half:], other)
	} else {
		mergeNumbers(other[:half], other[half:], numbers)
	}
}

func sortFigure(n int) figure {
	given, numbers, answer := make([]uint32, n), make([]uint32, n), make([]uint32, n)
	random := uint64(algoSort32)
	for i := range given {
		given[i] = uint32(splitmix(&random) >> 32)
	}
	copy(answer, given)
	sort.Slice(answer, func(i, j int) bool { return answer[i] < answer[j] })
	reset := func() { copy(numbers, given) }
	run := one("halves by goroutines, sort.Slice, merges", reset, func() {
		sortNumbers(numbers, make([]uint32, n), false)
	}, func() bool {
		for i := range numbers {
			if numbers[i] != answer[i] {
				return false
			}
		}
		return true
	})
	return named("sort32", run)
}

// The reduction has ten times as many elements, as in algo_data.h.
func algoKernel(size string, workers int) []figure {
	n := map[string]int{"3000": 3000, "1M": 1000000}[size]
	if n == 0 {
		return nil
	}
	return []figure{reduceFigure(10*n, workers), scanFigure(n, workers), sortFigure(n)}
}

// --- loops ---

// quadraticTurns are the costs of the indices, which rise with the square.
func quadraticTurns(n uint64) []int {
	weight := func(i uint64) uint64 {
		scaled := 1 + i*loopScale/n
		return scaled * scaled
	}
	turns, sum := make([]int, n), uint64(0)
	for i := uint64(0); i < n; i++ {
		sum += weight(i)
	}
	for i := range turns {
		turns[i] = int(weight(uint64(i)) * loopTurns * n / sum)
	}
	return turns
}

func loop(output []uint64, turns []int, workers int) {
	var next int64
	inParts(workers, workers, func(_, _, _ int) {
		for {
			end := int(atomic.AddInt64(&next, loopPiece))
			first := end - loopPiece
			if end > len(output) {
				end = len(output)
			}
			if first >= end {
				return
			}
			for i := first; i < end; i++ {
				output[i] = grind(uint64(i), turns[i])
			}
		}
	})
}

func loopsKernel(size string, workers int) []figure {
	n := map[string]int{"10": 10, "100": 100, "1000": 1000}[size]
	if n == 0 {
		return nil
	}
	turns, output, times := quadraticTurns(uint64(n)), make([]uint64, n), loopAll/n
	if n < 100 { // of tests
		times = 10
	}
	run := one("goroutines take 16 indices at a time", func() {
		for i := range output {
			output[i] = ^uint64(0)
		}
	}, func() {
		for k := 0; k < times; k++ {
			loop(output, turns, workers)
		}
	}, func() bool {
		for i := range output {
			if output[i] != grindAnswer(uint64(i), turns[i]) {
				return false
			}
		}
		return true
	})
	return []figure{named("quadratic", run)}
}
