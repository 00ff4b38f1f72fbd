// SPDX-License-Identifier: MIT
// matrices.rs — rayon: matmul and strassen, with the tiles and sums of bench/work
use kernels_rust::leaves::*;
use rayon::{join, ThreadPool};

/// c += a b
fn matmul(c: &mut [f32], a: &[f32], b: &[f32], n: usize) {
    if n == TILE {
        return multiply_tile(c, a, b);
    }
    let (half, q) = (n / 2, n / 2 * (n / 2));
    for k in 0..2 {
        // the left half of a with the upper of b, then the rest
        let (upper_a, lower_a) = (&a[k * q..], &a[2 * q + k * q..]);
        let (left_b, right_b) = (&b[2 * k * q..], &b[2 * k * q + q..]);
        let (upper, lower) = c.split_at_mut(2 * q);
        let (upper_left, upper_right) = upper.split_at_mut(q);
        let (lower_left, lower_right) = lower.split_at_mut(q);
        join(
            || {
                join(
                    || matmul(upper_left, upper_a, left_b, half),
                    || matmul(upper_right, upper_a, right_b, half),
                )
            },
            || {
                join(
                    || matmul(lower_left, lower_a, left_b, half),
                    || matmul(lower_right, lower_a, right_b, half),
                )
            },
        );
    }
}

pub fn run_matmul(data: &mut Quads, pool: &ThreadPool) {
    let Matrices { n, a, b, c } = data.matrices();
    pool.install(|| matmul(c, a, b, n));
}

/// Products from first up to end.
fn products(seven: &Seven, first: usize, end: usize) {
    if end - first == 1 {
        return strassen(seven.product(first));
    }
    let middle = first + (end - first) / 2;
    join(|| products(seven, first, middle), || products(seven, middle, end));
}

fn strassen(product: Product) {
    if product.is_leaf() {
        return product.multiply();
    }
    let seven = product.split();
    products(&seven, 0, PRODUCTS);
    seven.put_together();
}

pub fn run_strassen(data: &mut Quads, pool: &ThreadPool) {
    let product = data.product();
    pool.install(|| strassen(product));
}
