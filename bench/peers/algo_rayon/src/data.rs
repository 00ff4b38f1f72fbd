// SPDX-License-Identifier: MIT
// data.rs — the arrays and the judge that all peers share: bench/work/algo_data.c and loops_data.c
use std::ffi::CStr;
use std::os::raw::{c_char, c_uint, c_void}; // in std::ffi since 1.64, and Debian 12 has 1.63

/// struct algo_data
#[repr(C)]
pub struct AlgoData {
    pub which: u32,
    pub n: u64,
    pub input: *mut c_void,
    pub output: *mut c_void,
    spare: *mut c_void,
    pub value: u64,
    answer: u64,
}

/// struct loops_data
#[repr(C)]
pub struct LoopsData {
    pub shape: u32,
    pub n: u64,
    pub times: u64,
    turns: *mut u32,
    output: *mut u64,
}

#[link(name = "algo_data", kind = "static")]
extern "C" {
    fn algo_name(which: u32) -> *const c_char;
    pub fn algo_set_new(problem: *const c_char) -> *mut c_void;
    pub fn algo_set_free(set: *mut c_void);
    pub fn algo_set_count(set: *const c_void) -> c_uint;
    pub fn algo_set_at(set: *mut c_void, i: c_uint) -> *mut AlgoData;
    fn algo_reset(data: *mut AlgoData);
    pub fn algo_steps(item: u32) -> u64;
    fn algo_is_right(data: *const AlgoData) -> bool;

    fn loops_name(shape: u32) -> *const c_char;
    pub fn loops_size(problem: *const c_char) -> u64;
    pub fn loops_has(shape: u32, n: u64) -> bool;
    pub fn loops_open(shape: u32, n: u64) -> *mut LoopsData;
    pub fn loops_close(data: *mut LoopsData);
    fn loops_reset(data: *mut LoopsData);
    fn loops_is_right(data: *const LoopsData) -> bool;
}

impl AlgoData {
    pub fn name(&self) -> &'static str {
        unsafe { CStr::from_ptr(algo_name(self.which)) }.to_str().unwrap()
    }

    pub fn reset(&mut self) {
        unsafe { algo_reset(self) }
    }

    pub fn is_right(&self) -> bool {
        unsafe { algo_is_right(self) }
    }

    pub fn input<T>(&self, n: u64) -> &'static [T] {
        unsafe { std::slice::from_raw_parts(self.input as *const T, n as usize) }
    }

    pub fn output<T>(&mut self, n: u64) -> &'static mut [T] {
        unsafe { std::slice::from_raw_parts_mut(self.output as *mut T, n as usize) }
    }
}

impl LoopsData {
    pub fn name(&self) -> &'static str {
        unsafe { CStr::from_ptr(loops_name(self.shape)) }.to_str().unwrap()
    }

    pub fn reset(&mut self) {
        unsafe { loops_reset(self) }
    }

    pub fn is_right(&self) -> bool {
        unsafe { loops_is_right(self) }
    }

    pub fn turns(&self) -> &'static [u32] {
        unsafe { std::slice::from_raw_parts(self.turns, self.n as usize) }
    }

    pub fn output(&mut self) -> &'static mut [u64] {
        unsafe { std::slice::from_raw_parts_mut(self.output, self.n as usize) }
    }
}
