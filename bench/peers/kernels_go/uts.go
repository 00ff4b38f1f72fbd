// SPDX-License-Identifier: MIT
// uts.go — Go: unbalanced tree search; the children of a node are a range that is halved
package main

import (
	"math"
	"sync"
)

const childrenMax = 100 // of a node that is no binomial root

type utsCount struct {
	nodes, leaves, depth uint64
}

func (sum *utsCount) add(more utsCount) {
	sum.nodes += more.nodes
	sum.leaves += more.leaves
	if more.depth > sum.depth {
		sum.depth = more.depth
	}
}

// Geometric down to a depth, where it is asked for, and binomial below; see uts.h.
type utsTree struct {
	geometric  float64 // nodes above this height are; 0: none, and the root has `wide` children
	fixed      bool    // as wide at every height, else narrower with it
	seed       uint32
	wide, deep float64
	chance     float64
	many       uint32
	answer     utsCount
}

var utsTrees = map[string]utsTree{
	"hybrid": {4, false, 1, 6, 8, 0.234375, 4, utsCount{15914, 11966, 73}},
	"T1":     {math.Inf(1), true, 19, 4, 10, 0, 0, utsCount{4130071, 3305118, 10}},
	"T3":     {0, false, 42, 2000, 0, 0.124875, 8, utsCount{4112897, 3599034, 1572}},
}

type utsNode struct {
	state  sha1State
	height int
}

func (tree *utsTree) root() utsNode {
	return utsNode{sha1Of(&sha1State{4: tree.seed}, -1), 0}
}

func (node *utsNode) child(i uint32) utsNode {
	return utsNode{sha1Of(&node.state, int64(i)), node.height + 1}
}

func (tree *utsTree) width(height int) float64 {
	switch {
	case height == 0:
		return tree.wide
	case !tree.fixed:
		return tree.wide * (1 - float64(height)/tree.deep)
	case float64(height) < tree.deep:
		return tree.wide
	}
	return 0
}

func (tree *utsTree) children(node *utsNode) uint32 {
	chance := float64(node.state[4]&0x7fffffff) / 2147483648
	if tree.geometric == 0 && node.height == 0 {
		return uint32(tree.wide)
	}
	if float64(node.height) < tree.geometric {
		p := 1 / (1 + tree.width(node.height))
		return uint32(math.Min(math.Floor(math.Log(1-chance)/math.Log(1-p)), childrenMax))
	}
	if chance < tree.chance {
		return tree.many
	}
	return 0
}

// span counts the children from first up to end and all below them.
func (tree *utsTree) span(parent *utsNode, first, end uint32) utsCount {
	if end-first == 1 {
		child := parent.child(first)
		return tree.below(&child)
	}
	var group sync.WaitGroup
	var half utsCount
	middle := first + (end-first)/2
	group.Add(1)
	go func() {
		half = tree.span(parent, first, middle)
		group.Done()
	}()
	sum := tree.span(parent, middle, end)
	group.Wait()
	sum.add(half)
	return sum
}

func (tree *utsTree) below(node *utsNode) utsCount {
	children := tree.children(node)
	sum := utsCount{nodes: 1, depth: uint64(node.height)}
	if children == 0 {
		sum.leaves = 1
	} else {
		sum.add(tree.span(node, 0, children))
	}
	return sum
}

func utsKernel(size string, _ int) []figure {
	tree, found := utsTrees[size]
	if !found {
		return nil
	}
	var result utsCount
	return one(waiting, func() { result = utsCount{} }, func() {
		root := tree.root()
		result = tree.below(&root)
	}, func() bool { return result == tree.answer })
}
