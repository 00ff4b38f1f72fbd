// SPDX-License-Identifier: MIT
// work.rs — struct work of bench/work from Rust: problems by name, data made and judged by C
//
// Structs are those of work.h, field for field.
use crate::peer::{clocked, Run};
use std::ffi::CStr;
use std::os::raw::{c_char, c_uint, c_void};

/// struct work_problem
#[repr(C)]
pub struct WorkProblem {
    name: *const c_char,
    tier: c_uint,
    pub size: u64,
    times: u64,
    answer: u64,
}

type Plain = unsafe extern "C" fn(*mut c_void);

/// struct work_reading
#[repr(C)]
struct Reading {
    name: *const c_char,
    role: *const c_char,
    ns: f64,
}

/// struct work_notes
#[repr(C)]
struct Notes {
    count: c_uint,
    readings: [Reading; 16],
    seconds: f64,
}

/// struct work
#[repr(C)]
pub struct Work {
    name: *const c_char,
    role: *const c_char,
    unit: *const c_char,
    problems: *const WorkProblem,
    prepare: unsafe extern "C" fn(*const WorkProblem) -> *mut c_void,
    reset: Option<Plain>,
    serial: Plain,
    skua: *const c_void,
    check: unsafe extern "C" fn(*mut c_void) -> bool,
    drop: Plain,
    notes: Option<unsafe extern "C" fn(*const c_void) -> *const Notes>,
    second: *const c_void,
    second_name: *const c_char,
    second_role: *const c_char,
    has_no_ratio: bool,
}

#[link(name = "skua_work", kind = "static")]
#[link(name = "skua", kind = "static")]
extern "C" {
    static work_fib: Work;
    static work_treesum: Work;
    static work_nqueens: Work;
    static work_uts: Work;
    static work_matmul: Work;
    static work_strassen: Work;
    static work_cilksort: Work;
    static work_skynet: Work;
    static work_tick: Work;
    static work_latency: Work;
    static work_idle: Work;
}

fn find_work(kernel: &str) -> Option<&'static Work> {
    unsafe {
        Some(match kernel {
            "fib" => &work_fib,
            "treesum" => &work_treesum,
            "nqueens" => &work_nqueens,
            "uts" => &work_uts,
            "matmul" => &work_matmul,
            "strassen" => &work_strassen,
            "cilksort" => &work_cilksort,
            "skynet" => &work_skynet,
            "tick" => &work_tick,
            "latency" => &work_latency,
            "idle" => &work_idle,
            _ => return None,
        })
    }
}

fn find_problem(work: &'static Work, size: &str) -> Option<&'static WorkProblem> {
    (0..)
        .map(|i| unsafe { &*work.problems.add(i) })
        .take_while(|problem| !problem.name.is_null())
        .find(|problem| unsafe { CStr::from_ptr(problem.name) }.to_bytes() == size.as_bytes())
}

/// How large the problem of that name is, in its kernel's unit.
pub fn size_of(kernel: &str, size: &str) -> Option<u64> {
    find_work(kernel).and_then(|work| find_problem(work, size)).map(|problem| problem.size)
}

/// A kernel's data, made and judged by C.
pub struct Data<T> {
    work: &'static Work,
    raw: *mut T,
}

impl<T> Data<T> {
    /// None: there is no such problem.  T must be the kernel's struct.
    pub fn open(kernel: &str, size: &str) -> Option<Data<T>> {
        let work = find_work(kernel)?;
        let raw = unsafe { (work.prepare)(find_problem(work, size)?) } as *mut T;
        assert!(!raw.is_null(), "not enough memory for {}:{}", kernel, size);
        Some(Data { work, raw })
    }

    pub fn reset(&mut self) -> &mut T {
        unsafe {
            if let Some(reset) = self.work.reset {
                reset(self.raw as *mut c_void);
            }
            &mut *self.raw
        }
    }

    pub fn is_right(&mut self) -> bool {
        unsafe { (self.work.check)(self.raw as *mut c_void) }
    }

    /// What the last run has to tell under that name, in nanoseconds, and its own seconds.
    pub(crate) fn reading(&self, name: &str) -> (f64, f64) {
        let notes =
            unsafe { &*(self.work.notes.expect("a kernel with notes"))(self.raw as *const c_void) };
        let mut readings = notes.readings[..notes.count as usize].iter();
        let found =
            readings.find(|one| unsafe { CStr::from_ptr(one.name) }.to_bytes() == name.as_bytes());
        (found.map_or(0.0, |one| one.ns), notes.seconds)
    }

    /// One run, judged.
    pub fn run(&mut self, body: impl FnOnce(&mut T)) -> Run {
        let data = self.reset();
        let run = clocked(|| body(data));
        Run { is_right: self.is_right(), ..run }
    }
}

impl<T> Drop for Data<T> {
    fn drop(&mut self) {
        unsafe { (self.work.drop)(self.raw as *mut c_void) }
    }
}
