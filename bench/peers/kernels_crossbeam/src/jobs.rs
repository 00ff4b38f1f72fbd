// SPDX-License-Identifier: MIT
// jobs.rs — crossbeam: kernels as jobs that nobody joins; results are counted where they arise
use crate::pool::{Here, Job, Pool};
use kernels_rust::leaves::*;
use kernels_rust::paced::{Jobs, Stamp};

/// A queen in each row above this one.
pub struct Queens {
    n: usize,
    row: usize,
    board: Board,
}

impl Job for Queens {
    fn run(mut self, here: &Here<Queens>) {
        if self.row == self.n {
            return here.add(0, 1);
        }
        for column in 0..self.n {
            if queen_is_free(&self.board, self.row, column) {
                self.board[self.row] = column as i8;
                here.spawn(Queens { n: self.n, row: self.row + 1, board: self.board });
            }
        }
    }
}

pub fn run_nqueens(data: &mut Nqueens, pool: &Pool<Queens>) {
    pool.submit(Queens { n: data.n as usize, row: 0, board: [0; QUEENS_MAX] });
    pool.wait();
    data.result = pool.take(0).sum();
}

// --- uts: counters are nodes, leaves, depth ---

/// The children from first up to end and all below them.
pub struct Range {
    tree: &'static UtsTree,
    parent: UtsNode,
    first: u32,
    end: u32,
}

fn count(here: &Here<Range>, one: UtsCount) {
    here.add(0, one.nodes);
    here.add(1, one.leaves);
    here.at_least(2, one.depth);
}

impl Job for Range {
    /// Half is handed over, and half of what is left, down to one child; then that one's children.
    fn run(mut self, here: &Here<Range>) {
        loop {
            while self.end - self.first > 1 {
                let middle = self.first + (self.end - self.first) / 2;
                here.spawn(Range { end: middle, ..self });
                self.first = middle;
            }
            let child = self.parent.child(self.first);
            let children = self.tree.children(&child);
            count(here, child.count(children));
            if children == 0 {
                return;
            }
            self = Range { parent: child, first: 0, end: children, ..self };
        }
    }
}

pub fn run_uts(data: &mut Uts, pool: &Pool<Range>) {
    let (tree, root) = (data.tree, data.tree.root());
    let children = tree.children(&root);
    if children > 0 {
        pool.submit(Range { tree, parent: root, first: 0, end: children });
    }
    pool.wait();
    let (nodes, leaves) = (pool.take(0).sum(), pool.take(1).sum());
    let depth = pool.take(2).max().unwrap_or(0);
    data.result = root.count(children).and(UtsCount { nodes, leaves, depth });
}

/// So many leaves from this number on.
pub struct Net {
    first: u64,
    leaves: u64,
}

impl Job for Net {
    fn run(self, here: &Here<Net>) {
        let leaves = self.leaves / SKYNET_WIDE;
        if self.leaves == 1 {
            return here.add(0, self.first);
        }
        for i in 0..SKYNET_WIDE {
            here.spawn(Net { first: self.first + i * leaves, leaves });
        }
    }
}

pub fn run_skynet(data: &mut Skynet, pool: &Pool<Net>) {
    for _ in 0..data.times {
        pool.submit(Net { first: 0, leaves: data.leaves });
        pool.wait();
        data.result += pool.take(0).sum::<u64>();
    }
}

// --- tick, latency, idle ---

pub struct Tiny<T>(Jobs<T>, usize);

impl Job for Tiny<Tick> {
    fn run(self, _: &Here<Tiny<Tick>>) {
        self.0.run(self.1);
    }
}

impl Job for Tiny<Idle> {
    fn run(self, _: &Here<Tiny<Idle>>) {
        self.0.run(self.1);
    }
}

/// A burst from outside.
pub fn burst<T>(pool: &Pool<Tiny<T>>, jobs: Jobs<T>, count: usize)
where
    Tiny<T>: Job,
{
    (0..count).for_each(|i| pool.submit(Tiny(jobs, i)));
    pool.wait();
}

impl Job for &'static Stamp {
    fn run(self, _: &Here<&'static Stamp>) {
        self.hit();
    }
}
