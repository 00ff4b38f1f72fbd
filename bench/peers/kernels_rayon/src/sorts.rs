// SPDX-License-Identifier: MIT
// sorts.rs — rayon: cilksort, with the leaves of bench/work
use kernels_rust::leaves::*;
use rayon::{join, ThreadPool};

fn merge(a: &[i32], b: &[i32], to: &mut [i32]) {
    if a.len() < b.len() {
        return merge(b, a, to);
    }
    if a.len() + b.len() <= MERGE_LEAF {
        return merge_leaf(a, b, to);
    }
    let x = a.len() / 2;
    let y = count_below(b, a[x]);
    let (a_low, a_high) = a.split_at(x);
    let (b_low, b_high) = b.split_at(y);
    let (low, high) = to.split_at_mut(x + y);
    join(|| merge(a_low, b_low, low), || merge(a_high, b_high, high));
}

fn sort(numbers: &mut [i32], other: &mut [i32]) {
    let q = numbers.len() / 4;
    if numbers.len() <= SORT_LEAF {
        return sort_leaf(numbers);
    }
    {
        let (low, high) = numbers.split_at_mut(2 * q);
        let (low_other, high_other) = other.split_at_mut(2 * q);
        join(|| sort_both(low, low_other, q), || sort_both(high, high_other, q));
    }
    let (low, high) = numbers.split_at(2 * q);
    let (low_other, high_other) = other.split_at_mut(2 * q);
    join(|| merge(&low[..q], &low[q..], low_other), || merge(&high[..q], &high[q..], high_other));
    merge(low_other, high_other, numbers);
}

/// The first q numbers and the rest.
fn sort_both(numbers: &mut [i32], other: &mut [i32], q: usize) {
    let (low, high) = numbers.split_at_mut(q);
    let (low_other, high_other) = other.split_at_mut(q);
    join(|| sort(low, low_other), || sort(high, high_other));
}

pub fn run_cilksort(data: &mut Cilksort, pool: &ThreadPool) {
    let (numbers, other) = data.open();
    pool.install(|| sort(numbers, other));
}
