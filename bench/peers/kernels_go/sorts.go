// SPDX-License-Identifier: MIT
// sorts.go — Go: cilksort, merge sort in four parts with merges that are themselves parallel
package main

import "sync"

const (
	sortLeaf  = 2048
	mergeLeaf = 2048
	few       = 16 // numbers that are put in place one by one
)

func insertAll(numbers []int32) {
	for i := 1; i < len(numbers); i++ {
		x, at := numbers[i], i
		for ; at > 0 && numbers[at-1] > x; at-- {
			numbers[at] = numbers[at-1]
		}
		numbers[at] = x
	}
}

func middleOf(a, b, c int32) int32 {
	if a > b {
		a, b = b, a
	}
	if c < a {
		return a
	}
	if c > b {
		return b
	}
	return c
}

func sortPlain(numbers []int32) {
	for len(numbers) > few {
		pivot := middleOf(numbers[0], numbers[len(numbers)/2], numbers[len(numbers)-1])
		left, right := 0, len(numbers)-1
		for {
			for numbers[left] < pivot {
				left++
			}
			for numbers[right] > pivot {
				right--
			}
			if left >= right {
				break
			}
			numbers[left], numbers[right] = numbers[right], numbers[left]
			left++
			right--
		}
		sortPlain(numbers[right+1:])
		numbers = numbers[:right+1]
	}
	insertAll(numbers)
}

func mergePlain(a, b, to []int32) {
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

func countBelow(numbers []int32, x int32) int {
	first, count := 0, len(numbers)
	for count > 0 {
		half := count / 2
		if numbers[first+half] < x {
			first += half + 1
			count -= half + 1
		} else {
			count = half
		}
	}
	return first
}

func merge(a, b, to []int32) {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)+len(b) <= mergeLeaf {
		mergePlain(a, b, to)
		return
	}
	x := len(a) / 2
	y := countBelow(b, a[x])
	var group sync.WaitGroup
	group.Add(1)
	go func(a, b, to []int32) {
		merge(a, b, to)
		group.Done()
	}(a[x:], b[y:], to[x+y:])
	merge(a[:x], b[:y], to)
	group.Wait()
}

func cilksort(numbers, other []int32) {
	q := len(numbers) / 4
	if len(numbers) <= sortLeaf {
		sortPlain(numbers)
		return
	}
	var group sync.WaitGroup
	fork := func(numbers, other []int32) {
		cilksort(numbers, other)
		group.Done()
	}
	group.Add(3)
	go fork(numbers[3*q:], other[3*q:])
	go fork(numbers[2*q:3*q], other[2*q:3*q])
	go fork(numbers[q:2*q], other[q:2*q])
	cilksort(numbers[:q], other[:q])
	group.Wait()
	group.Add(1)
	go func() {
		merge(numbers[2*q:3*q], numbers[3*q:], other[2*q:])
		group.Done()
	}()
	merge(numbers[:q], numbers[q:2*q], other)
	group.Wait()
	merge(other[:2*q], other[2*q:], numbers)
}

// addUp gives two sums that no order changes.
func addUp(numbers []int32) (sum, product uint64) {
	product = 1
	for _, x := range numbers {
		sum += uint64(int64(x))
		product *= 2*uint64(uint32(x)) + 0x9e3779b97f4a7c15
	}
	return
}

func cilksortKernel(size string, _ int) []figure {
	count := map[string]int{"20k": 20000, "10M": 10000000}[size]
	if count == 0 {
		return nil
	}
	given, numbers, other := make([]int32, count), make([]int32, count), make([]int32, count)
	random := uint64(1)
	for i := range given {
		random = random*6364136223846793005 + 1442695040888963407
		given[i] = int32(random >> 32)
	}
	sum, product := addUp(given)
	reset, body := func() { copy(numbers, given) }, func() { cilksort(numbers, other) }
	return one(waiting, reset, body, func() bool {
		for i := 1; i < count; i++ {
			if numbers[i-1] > numbers[i] {
				return false
			}
		}
		foundSum, foundProduct := addUp(numbers)
		return foundSum == sum && foundProduct == product
	})
}
