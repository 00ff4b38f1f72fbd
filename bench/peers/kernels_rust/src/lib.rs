// SPDX-License-Identifier: MIT
// lib.rs — what the kernel peers in Rust share: options, clocks, data and judges in C
pub mod leaves;
pub mod paced;
pub mod peer;
pub mod work;
