// SPDX-License-Identifier: MIT
// counts.rs — rayon: kernels that count and add: fib, treesum, nqueens, uts, skynet
use kernels_rust::leaves::*;
use rayon::{join, ThreadPool};

fn fib(n: i32) -> i64 {
    if n < 2 {
        return n as i64;
    }
    let (b, a) = join(|| fib(n - 2), || fib(n - 1));
    a + b
}

pub fn run_fib(data: &mut Fib, pool: &ThreadPool) {
    let n = data.n;
    data.result = pool.install(|| fib(n));
}

fn sum(node: &Node) -> i64 {
    match (node.left, node.right) {
        (Some(left), Some(right)) => {
            let (left, right) = join(|| sum(left), || sum(right));
            node.value + left + right
        }
        _ => node.value,
    }
}

pub fn run_treesum(data: &mut Treesum, pool: &ThreadPool) {
    let root = data.root;
    for _ in 0..data.times {
        data.result += pool.install(|| sum(root));
    }
}

// --- nqueens ---

/// The boards with the next queen in each of these columns.
fn columns(n: usize, row: usize, board: &Board, free: &[i8]) -> u64 {
    if free.len() > 1 {
        let (some, others) = free.split_at(free.len() / 2);
        let (a, b) = join(|| columns(n, row, board, others), || columns(n, row, board, some));
        return a + b;
    }
    let mut board = *board;
    board[row] = free[0];
    queens(n, row + 1, &board)
}

fn queens(n: usize, row: usize, board: &Board) -> u64 {
    let mut free = [0; QUEENS_MAX];
    let mut count = 0;
    if row == n {
        return 1;
    }
    for column in (0..n).filter(|&column| queen_is_free(board, row, column)) {
        free[count] = column as i8;
        count += 1;
    }
    if count == 0 {
        return 0;
    }
    columns(n, row, board, &free[..count])
}

pub fn run_nqueens(data: &mut Nqueens, pool: &ThreadPool) {
    let n = data.n as usize;
    data.result = pool.install(|| queens(n, 0, &[0; QUEENS_MAX]));
}

// --- uts ---

/// The children from first up to end and all below them.
fn range(tree: &UtsTree, parent: &UtsNode, first: u32, end: u32) -> UtsCount {
    if end - first > 1 {
        let middle = first + (end - first) / 2;
        let (a, b) =
            join(|| range(tree, parent, middle, end), || range(tree, parent, first, middle));
        return a.and(b);
    }
    below(tree, &parent.child(first))
}

fn below(tree: &UtsTree, node: &UtsNode) -> UtsCount {
    let children = tree.children(node);
    let one = node.count(children);
    if children == 0 {
        return one;
    }
    one.and(range(tree, node, 0, children))
}

pub fn run_uts(data: &mut Uts, pool: &ThreadPool) {
    let tree = data.tree;
    data.result = pool.install(|| below(tree, &tree.root()));
}

// --- skynet ---

/// So many parts of so many leaves each.
fn parts(first: u64, leaves: u64, count: u64) -> u64 {
    if count == 1 {
        return skynet(first, leaves);
    }
    let half = count / 2;
    let (a, b) =
        join(|| parts(first, leaves, half), || parts(first + half * leaves, leaves, count - half));
    a + b
}

fn skynet(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    parts(first, leaves / SKYNET_WIDE, SKYNET_WIDE)
}

pub fn run_skynet(data: &mut Skynet, pool: &ThreadPool) {
    let leaves = data.leaves;
    for _ in 0..data.times {
        data.result += pool.install(|| skynet(0, leaves));
    }
}
