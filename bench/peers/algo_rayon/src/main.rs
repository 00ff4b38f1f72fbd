// SPDX-License-Identifier: MIT
// main.rs — rayon: parallel iterators and sorts, inside ThreadPool::install
mod data;

use data::*;
use rayon::prelude::*;
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::time::Instant;

const SHORT: u64 = 10000;
const SHAPES: u32 = 8;
const BINS: usize = 256;
const CHUNK: usize = 1024; // elements of a leaf, where an element at a time is slow

// --- leaves, as algo_data.h and loops_data.h have them ---

/// Sixteen sums side by side.
fn sum(x: &[f32]) -> f32 {
    let mut sums = [0f32; 16];
    let sixteens = x.chunks_exact(16);
    let rest: f32 = sixteens.remainder().iter().sum();
    for part in sixteens {
        for k in 0..16 {
            sums[k] += part[k];
        }
    }
    rest + sums.iter().sum::<f32>()
}

#[inline(always)]
fn turn(x: u64) -> u64 {
    let mut x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    unsafe { std::arch::asm!("/* {0} */", inout(reg) x, options(nomem, nostack, preserves_flags)) };
    x
}

#[inline(always)]
fn mill(x: u64, turns: u32) -> u64 {
    (0..turns).fold(x, |x, _| turn(x))
}

#[inline(always)]
fn two(x: u64) -> u64 {
    turn(turn(x))
}

#[inline(always)]
fn fifteen(x: u64) -> u64 {
    let x = two(two(two(turn(x))));
    two(two(two(two(x))))
}

// --- algo ---

fn run_for(data: &mut AlgoData) {
    data.output::<f64>(data.n).par_iter_mut().for_each(|x| *x = 0.5 * *x + 3.0);
}

fn sum_of(x: &[f32]) -> f32 {
    x.par_chunks(CHUNK).map(sum).sum()
}

fn run_reduce(data: &mut AlgoData) {
    data.value = sum_of(data.input(data.n)) as i64 as u64;
}

fn run_reduces(data: &mut AlgoData) {
    let x = data.input(SHORT);
    // as std::hint::black_box, which came with 1.66: each sum is of numbers that nobody knows
    let unknown = || unsafe { std::ptr::read_volatile(&x) };
    data.value = (0..data.n / SHORT).map(|_| sum_of(unknown()) as i64).sum::<i64>() as u64;
}

fn run_uneven(data: &mut AlgoData) {
    data.value = data.input::<u32>(data.n).par_iter().map(|&item| unsafe { algo_steps(item) }).sum();
}

fn run_histo(data: &mut AlgoData) {
    let bins = data
        .input::<u32>(data.n)
        .par_iter()
        .fold(
            || vec![0u64; BINS],
            |mut bins, &x| {
                bins[(x >> 24) as usize] += 1;
                bins
            },
        )
        .reduce(
            || vec![0u64; BINS],
            |mut a, b| {
                a.iter_mut().zip(b).for_each(|(x, y)| *x += y);
                a
            },
        );
    data.output::<u64>(BINS as u64).copy_from_slice(&bins);
}

/// Into a Vec, as the iterator does not know how many there will be; the same one each time.
fn run_filter(data: &mut AlgoData) {
    KEPT.with(|kept| {
        let mut kept = kept.borrow_mut();
        kept.clear();
        kept.reserve(data.n as usize);
        kept.par_extend(data.input::<u32>(data.n).par_iter().copied().filter(|x| x >> 31 != 0));
        data.value = kept.len() as u64;
    });
}

thread_local! {
    static KEPT: std::cell::RefCell<Vec<u32>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Untimed: where the judge looks for it.
fn hand_over(data: &mut AlgoData) {
    if data.name() == "filter" {
        KEPT.with(|kept| data.output::<u32>(data.value).copy_from_slice(&kept.borrow()));
    }
}

/// By chunks: position_first asks the others at every element, and takes fifty times as long.
fn run_find(data: &mut AlgoData) {
    let found = data.input::<u32>(data.n).par_chunks(CHUNK).enumerate().find_map_first(|(k, part)| {
        part.iter().position(|x| x % 2 != 0).map(|i| k * CHUNK + i)
    });
    data.value = found.map_or(data.n, |i| i as u64);
}

fn run_sort32(data: &mut AlgoData) {
    data.output::<u32>(data.n).par_sort_unstable();
}

fn run_sort64(data: &mut AlgoData) {
    data.output::<u64>(data.n).par_sort_unstable();
}

fn run_sortdbl(data: &mut AlgoData) {
    data.output::<f64>(data.n).par_sort_unstable_by(|a, b| a.partial_cmp(b).unwrap());
}

#[derive(Clone, Copy)]
struct Letters(*const c_char);

unsafe impl Send for Letters {}
unsafe impl Sync for Letters {}

extern "C" {
    fn strcmp(a: *const c_char, b: *const c_char) -> i32;
}

fn run_strings(data: &mut AlgoData) {
    data.output::<Letters>(data.n).par_sort_unstable_by(|a, b| unsafe { strcmp(a.0, b.0) }.cmp(&0));
}

struct Case {
    name: &'static str,
    how: &'static str,
    run: fn(&mut AlgoData),
}

const CASES: [Case; 12] = [
    Case { name: "for", how: "par_iter_mut().for_each", run: run_for },
    Case { name: "reduce", how: "par_chunks(1024).map.sum", run: run_reduce },
    Case { name: "reduces", how: "par_chunks(1024).map.sum", run: run_reduces },
    Case { name: "uneven", how: "par_iter().map.sum", run: run_uneven },
    Case { name: "histo", how: "par_iter().fold.reduce", run: run_histo },
    Case { name: "filter", how: "par_extend(par_iter().filter)", run: run_filter },
    Case { name: "find", how: "par_chunks(1024).find_map_first", run: run_find },
    Case { name: "sort32", how: "par_sort_unstable", run: run_sort32 },
    Case { name: "sort64", how: "par_sort_unstable", run: run_sort64 },
    Case { name: "sortdbl", how: "par_sort_unstable_by(partial_cmp)", run: run_sortdbl },
    Case { name: "strings", how: "par_sort_unstable_by(strcmp)", run: run_strings },
    Case { name: "sorted", how: "par_sort_unstable", run: run_sort32 },
];

// --- loops ---

fn run_loops(data: &mut LoopsData) {
    let (turns, output) = (data.turns(), data.output());
    for _ in 0..data.times {
        match data.name() {
            "cheap1" => output.par_iter_mut().enumerate().for_each(|(i, x)| *x = two(i as u64)),
            "cheap10" => output.par_iter_mut().enumerate().for_each(|(i, x)| *x = fifteen(i as u64)),
            _ => output.par_iter_mut().enumerate().for_each(|(i, x)| *x = mill(i as u64, turns[i])),
        }
    }
}

// --- measure and tell ---

struct Options {
    workers: usize,
    repeat: usize, // 0: it is asked for one run after the other
    problem: String,
}

fn usage() -> ! {
    eprintln!("usage: algo_rayon --problem KERNEL:SIZE --workers N --repeat R");
    std::process::exit(2);
}

fn options() -> Options {
    let mut options = Options { workers: 1, repeat: 3, problem: "algo:1M".to_string() };
    let mut words = std::env::args().skip(1);
    while let Some(option) = words.next() {
        let word = words.next().unwrap_or_else(|| usage());
        let number = |least| word.parse::<usize>().ok().filter(|&n| n >= least).unwrap_or_else(|| usage());
        match option.as_str() {
            "--workers" => options.workers = number(1),
            "--repeat" => options.repeat = number(0),
            "--problem" => options.problem = word,
            _ => usage(),
        }
    }
    options
}

/// A case: one run of it, timed and judged.
struct Way {
    name: &'static str,
    how: &'static str,
    n: u64,
    run: Box<dyn FnMut() -> (f64, bool)>, // nanoseconds of an element or an index; right
    is_right: bool,
    ns: Vec<f64>, // round by round; the first warms up
}

impl Way {
    fn new(name: &'static str, how: &'static str, n: u64, run: impl FnMut() -> (f64, bool) + 'static) -> Way {
        Way { name, how, n, run: Box::new(run), is_right: true, ns: Vec::new() }
    }

    fn time(&mut self) -> f64 {
        let (ns, is_right) = (self.run)();
        self.is_right &= is_right;
        ns
    }

    fn print(&self, options: &Options, rest: &str) {
        println!(
            "{{\"name\":\"rayon\",\"version\":\"{}\",\"problem\":\"{}\",\"case\":\"{}\",\"variant\":\"\",\"how\":\"{}\",\
             \"workers\":{},\"n\":{},\"repeat\":{}{}}}",
            option_env!("RAYON_VERSION").unwrap_or("unknown"), options.problem, self.name, self.how, options.workers,
            self.n, options.repeat, rest
        );
    }

    fn print_times(&mut self, options: &Options) {
        let ns = &mut self.ns[1..];
        ns.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let last = options.repeat - 1;
        let rest = format!(
            ",\"ns\":{:.4},\"quartile_low_ns\":{:.4},\"quartile_high_ns\":{:.4},\"check\":{}",
            ns[(last + 1) / 2], ns[(last + 2) / 4], ns[(3 * last + 2) / 4], self.is_right
        );
        self.print(options, &rest);
    }
}

/// The arrays stay until the end.
fn ways_of_algo(size: &CStr) -> Vec<Way> {
    let set = unsafe { algo_set_new(size.as_ptr()) };
    if set.is_null() {
        usage();
    }
    let mut ways = Vec::new();
    for i in 0..unsafe { algo_set_count(set) } {
        let data: &'static mut AlgoData = unsafe { &mut *algo_set_at(set, i) };
        if let Some(case) = CASES.iter().find(|case| case.name == data.name()) {
            ways.push(Way::new(case.name, case.how, data.n, move || {
                data.reset();
                let start = Instant::now();
                (case.run)(data);
                let ns = start.elapsed().as_nanos() as f64 / data.n as f64;
                hand_over(data);
                (ns, data.is_right())
            }));
        }
    }
    ways
}

fn ways_of_loops(size: &CStr) -> Vec<Way> {
    let n = unsafe { loops_size(size.as_ptr()) };
    if n == 0 {
        usage();
    }
    let mut ways = Vec::new();
    for shape in (0..SHAPES).filter(|&shape| unsafe { loops_has(shape, n) }) {
        let data: &'static mut LoopsData = unsafe { &mut *loops_open(shape, n) };
        ways.push(Way::new(data.name(), "par_iter_mut().enumerate().for_each", n, move || {
            data.reset();
            let start = Instant::now();
            run_loops(data);
            let ns = start.elapsed().as_nanos() as f64 / (data.n * data.times) as f64;
            (ns, data.is_right())
        }));
    }
    ways
}

/// Every round runs everything once.
fn all_rounds(ways: &mut [Way], options: &Options) {
    for _ in 0..=options.repeat {
        for way in ways.iter_mut() {
            let ns = way.time();
            way.ns.push(ns);
        }
    }
    ways.iter_mut().for_each(|way| way.print_times(options));
}

/// As peer_when_asked of algo_peer.h: what there is, then a run for each number of standard input.
fn when_asked(ways: &mut [Way], options: &Options) {
    ways.iter().for_each(|way| way.print(options, ""));
    println!();
    for line in std::io::stdin().lines() {
        let number = line.ok().and_then(|line| line.trim().parse::<usize>().ok()).filter(|&number| number < ways.len());
        let way = &mut ways[number.unwrap_or_else(|| usage())];
        let ns = way.time();
        println!("{{\"ns\":{:.4},\"check\":{}}}", ns, way.is_right);
    }
}

fn main() {
    let options = options();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.workers).build().unwrap();
    let (kernel, size) = match options.problem.split_once(':') {
        Some(parts) => parts,
        None => usage(),
    };
    let size = CString::new(size).unwrap();
    let is_right = pool.install(|| {
        let mut ways = match kernel {
            "algo" => ways_of_algo(&size),
            "loops" => ways_of_loops(&size),
            _ => usage(),
        };
        match options.repeat {
            0 => when_asked(&mut ways, &options),
            _ => all_rounds(&mut ways, &options),
        }
        ways.iter().all(|way| way.is_right)
    });
    std::process::exit(if is_right { 0 } else { 1 });
}
