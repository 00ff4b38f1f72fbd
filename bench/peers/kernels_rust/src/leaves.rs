// SPDX-License-Identifier: MIT
// leaves.rs — what each kernel of bench/work works on, and its leaf code in C
//
// Structs are those of the kernels' own headers, field for field.
use std::os::raw::{c_int, c_uint, c_void};

extern "C" {
    fn uts_root(tree: *const UtsTree) -> UtsNode;
    fn uts_children(tree: *const UtsTree, node: *const UtsNode) -> c_uint;
    fn uts_child(node: *const UtsNode, i: c_uint, child: *mut UtsNode);

    fn quads_tile(c: *mut f32, a: *const f32, b: *const f32);

    fn strassen_lay_out(
        c: *mut f32,
        a: *const f32,
        b: *const f32,
        work: *mut f32,
        n: c_uint,
    ) -> Quarters;
    fn strassen_make_factors(at: *const Quarters, m: c_int) -> Factors;
    fn strassen_put_together(at: *const Quarters);
    fn strassen_leaf(c: *mut f32, a: *const f32, b: *const f32, n: c_uint);

    fn cilksort_leaf(numbers: *mut i32, count: usize);
    fn cilksort_merge_leaf(
        a: *const i32,
        a_count: usize,
        b: *const i32,
        b_count: usize,
        to: *mut i32,
    );
    fn cilksort_below(numbers: *const i32, count: usize, x: i32) -> usize;

    pub(crate) fn tick_job(tick: *mut Tick, i: c_uint);
    pub(crate) fn tick_run(tick: *mut Tick, burst: Burst<Tick>, way: *mut c_void);
    pub(crate) fn idle_job(idle: *mut Idle, i: c_uint);
    pub(crate) fn idle_run(idle: *mut Idle, burst: Burst<Idle>, way: *mut c_void);
}

#[repr(C)]
pub struct Fib {
    pub n: c_int,
    pub result: i64,
    answer: i64,
}

#[repr(C)]
pub struct Node {
    pub value: i64,
    pub left: Option<&'static Node>, // both or neither
    pub right: Option<&'static Node>,
}

#[repr(C)]
pub struct Treesum {
    pub root: &'static Node,
    pub times: u64,
    pub result: i64,
    answer: i64,
}

#[repr(C)]
pub struct Skynet {
    pub leaves: u64,
    pub times: u64,
    pub result: u64,
    answer: u64,
}

pub const SKYNET_WIDE: u64 = 10;

// --- nqueens ---

pub const QUEENS_MAX: usize = 16;
pub type Board = [i8; QUEENS_MAX]; // the column of each row's queen

#[repr(C)]
pub struct Nqueens {
    pub n: c_int,
    pub result: u64,
    answer: u64,
}

/// nqueens_is_free, which C has in a header.
#[inline]
pub fn queen_is_free(board: &Board, row: usize, column: usize) -> bool {
    board[..row].iter().enumerate().all(|(i, &queen)| {
        let (aside, below) = (queen as i32 - column as i32, (row - i) as i32);
        aside != 0 && aside != below && aside != -below
    })
}

// --- uts ---

/// struct uts_tree, which only C looks into.
#[repr(C)]
pub struct UtsTree {
    private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct UtsNode {
    state: [u32; 5],
    pub height: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct UtsCount {
    pub nodes: u64,
    pub leaves: u64,
    pub depth: u64,
}

#[repr(C)]
pub struct Uts {
    pub tree: &'static UtsTree,
    pub result: UtsCount,
}

impl UtsTree {
    pub fn root(&self) -> UtsNode {
        unsafe { uts_root(self) }
    }

    #[inline]
    pub fn children(&self, node: &UtsNode) -> u32 {
        unsafe { uts_children(self, node) }
    }
}

impl UtsNode {
    #[inline]
    pub fn child(&self, i: u32) -> UtsNode {
        let mut child = UtsNode::default();
        unsafe { uts_child(self, i, &mut child) };
        child
    }

    /// The node alone.
    #[inline]
    pub fn count(&self, children: u32) -> UtsCount {
        UtsCount { nodes: 1, leaves: (children == 0) as u64, depth: self.height as u64 }
    }
}

impl UtsCount {
    #[inline]
    pub fn and(self, more: UtsCount) -> UtsCount {
        UtsCount {
            nodes: self.nodes + more.nodes,
            leaves: self.leaves + more.leaves,
            depth: self.depth.max(more.depth),
        }
    }
}

// --- matmul, strassen: matrices cut into quarters, as quads.h describes them ---

pub const TILE: usize = 64;

#[repr(C)]
pub struct Quads {
    n: c_uint,
    a: *mut f32,
    b: *mut f32,
    c: *mut f32,
    work: *mut f32,
}

/// c = a b with lengths.
pub struct Matrices<'a> {
    pub n: usize,
    pub a: &'a [f32],
    pub b: &'a [f32],
    pub c: &'a mut [f32],
}

impl Quads {
    pub fn matrices(&mut self) -> Matrices<'_> {
        use std::slice::{from_raw_parts, from_raw_parts_mut};
        let (n, count) = (self.n as usize, self.n as usize * self.n as usize);
        unsafe {
            Matrices {
                n,
                a: from_raw_parts(self.a, count),
                b: from_raw_parts(self.b, count),
                c: from_raw_parts_mut(self.c, count),
            }
        }
    }

    pub fn product(&mut self) -> Product {
        Product { n: self.n, a: self.a, b: self.b, c: self.c, work: self.work }
    }
}

/// c += a b of one tile: the leaf.
pub fn multiply_tile(c: &mut [f32], a: &[f32], b: &[f32]) {
    assert!(c.len().min(a.len()).min(b.len()) >= TILE * TILE);
    unsafe { quads_tile(c.as_mut_ptr(), a.as_ptr(), b.as_ptr()) }
}

const STRASSEN_LEAF: c_uint = 128;
pub const PRODUCTS: usize = 7;

/// c = a b, with work to itself.
pub struct Product {
    n: c_uint,
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    work: *mut f32,
}

/// struct strassen_quarters
#[repr(C)]
struct Quarters {
    q: usize,
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    sums: *mut f32,
    m: [*mut f32; PRODUCTS],
    rooms: *mut f32,
    room: usize,
}

/// struct strassen_factors
#[repr(C)]
struct Factors {
    left: *const f32,
    right: *const f32,
}

/// A product as seven smaller ones.
pub struct Seven {
    half: c_uint,
    at: Quarters,
}

unsafe impl Send for Product {} // no two write to the same place
unsafe impl Sync for Seven {}

impl Product {
    pub fn is_leaf(&self) -> bool {
        self.n <= STRASSEN_LEAF
    }

    pub fn multiply(&self) {
        unsafe { strassen_leaf(self.c, self.a, self.b, self.n) }
    }

    pub fn split(&self) -> Seven {
        let at = unsafe { strassen_lay_out(self.c, self.a, self.b, self.work, self.n) };
        Seven { half: self.n / 2, at }
    }
}

impl Seven {
    /// Makes the factors of one.
    pub fn product(&self, m: usize) -> Product {
        let factors = unsafe { strassen_make_factors(&self.at, m as c_int) };
        let work = unsafe { self.at.rooms.add(m * self.at.room) };
        Product { n: self.half, a: factors.left, b: factors.right, c: self.at.m[m], work }
    }

    pub fn put_together(&self) {
        unsafe { strassen_put_together(&self.at) }
    }
}

// --- cilksort ---

pub const SORT_LEAF: usize = 2048;
pub const MERGE_LEAF: usize = 2048;

#[repr(C)]
pub struct Cilksort {
    count: usize,
    given: *const i32,
    numbers: *mut i32,
    other: *mut i32,
    sum: u64,
    product: u64,
}

impl Cilksort {
    /// What to sort, and as much room.
    pub fn open(&mut self) -> (&mut [i32], &mut [i32]) {
        use std::slice::from_raw_parts_mut;
        unsafe {
            (
                from_raw_parts_mut(self.numbers, self.count),
                from_raw_parts_mut(self.other, self.count),
            )
        }
    }
}

pub fn sort_leaf(numbers: &mut [i32]) {
    unsafe { cilksort_leaf(numbers.as_mut_ptr(), numbers.len()) }
}

pub fn merge_leaf(a: &[i32], b: &[i32], to: &mut [i32]) {
    assert!(a.len() + b.len() <= to.len());
    unsafe { cilksort_merge_leaf(a.as_ptr(), a.len(), b.as_ptr(), b.len(), to.as_mut_ptr()) }
}

pub fn count_below(numbers: &[i32], x: i32) -> usize {
    unsafe { cilksort_below(numbers.as_ptr(), numbers.len(), x) }
}

// --- tick, idle: see paced.rs ---

pub(crate) type Burst<T> = unsafe extern "C" fn(*mut T, *mut c_void);
pub const TICK_JOBS: usize = 30;
pub const IDLE_JOBS: usize = 1000;

/// struct tick, which only C looks into.
#[repr(C)]
pub struct Tick {
    private: [u8; 0],
}

/// struct idle, likewise up to here.
#[repr(C)]
pub struct Idle {
    private: [u8; 0],
}
