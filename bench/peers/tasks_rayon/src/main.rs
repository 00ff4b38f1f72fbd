// SPDX-License-Identifier: MIT
// main.rs — rayon: scope and spawn inside a pool and from outside it, round trips by scope and install
//
// ThreadPool::scope moves its body into the pool, which is spawn_inside; in_place_scope leaves it on
// the thread that called, which is spawn_outside.
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::Cell;
use std::time::Instant;

thread_local! {
    static RAN: Cell<u64> = const { Cell::new(0) };
}

/// The body of an empty task.
fn ran() {
    RAN.with(|count| count.set(count.get() + 1));
}

/// How many ran in the pool since this was last asked.
fn ran_count(pool: &ThreadPool) -> u64 {
    pool.broadcast(|_| RAN.with(|count| count.replace(0))).iter().sum()
}

/// Nanoseconds for all of n tasks; none when a result was wrong.
type Measure = fn(&ThreadPool, u64) -> Option<f64>;

struct Case {
    name: &'static str,
    how: &'static str,
    measure: Measure,
    divisor: u64,
}

fn ns_since(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64
}

fn spawn_inside(pool: &ThreadPool, n: u64) -> Option<f64> {
    let ns = pool.install(|| {
        let start = Instant::now();
        rayon::scope(|scope| {
            for _ in 0..n {
                scope.spawn(|_| ran());
            }
        });
        ns_since(start)
    });
    (ran_count(pool) == n).then_some(ns)
}

fn spawn_outside(pool: &ThreadPool, n: u64) -> Option<f64> {
    let start = Instant::now();
    pool.in_place_scope(|scope| {
        for _ in 0..n {
            scope.spawn(|_| ran());
        }
    });
    let ns = ns_since(start);
    (ran_count(pool) == n).then_some(ns)
}

fn round_trip_inside(pool: &ThreadPool, n: u64) -> Option<f64> {
    let (ns, sum) = pool.install(|| {
        let mut sum = 0;
        let start = Instant::now();
        for i in 1..=n {
            let mut result = 0;
            let to = &mut result;
            rayon::scope(|scope| scope.spawn(move |_| *to = i));
            sum += result;
        }
        (ns_since(start), sum)
    });
    (sum == n * (n + 1) / 2).then_some(ns)
}

fn round_trip_outside(pool: &ThreadPool, n: u64) -> Option<f64> {
    let mut sum = 0;
    let start = Instant::now();
    for i in 1..=n {
        sum += pool.install(move || {
            ran();
            i
        });
    }
    let ns = ns_since(start);
    (ran_count(pool) == n && sum == n * (n + 1) / 2).then_some(ns)
}

const CASES: [Case; 4] = [
    Case { name: "spawn_inside", how: "scope and spawn in ThreadPool::install", measure: spawn_inside, divisor: 1 },
    Case { name: "spawn_outside", how: "ThreadPool::in_place_scope and spawn", measure: spawn_outside, divisor: 1 },
    Case { name: "round_trip_inside", how: "scope with one spawn", measure: round_trip_inside, divisor: 10 },
    Case { name: "round_trip_outside", how: "ThreadPool::install", measure: round_trip_outside, divisor: 10 },
];

fn usage() -> ! {
    eprintln!("usage: tasks_rayon --workers N --tasks T --repeat R");
    std::process::exit(2);
}

/// Workers, tasks, repeat.
fn options() -> (usize, u64, usize) {
    let (mut workers, mut tasks, mut repeat) = (1, 1000000, 5);
    let mut words = std::env::args().skip(1);
    while let Some(option) = words.next() {
        let value: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        match option.as_str() {
            _ if value == 0 => usage(),
            "--workers" => workers = value as usize,
            "--tasks" => tasks = value,
            "--repeat" => repeat = value as usize,
            _ => usage(),
        }
    }
    (workers, tasks, repeat)
}

fn main() {
    let (workers, tasks, repeat) = options();
    let pool = ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
    let mut ns = vec![Vec::new(); CASES.len()];
    let mut right = vec![true; CASES.len()];
    for round in 0..=repeat {
        for (c, case) in CASES.iter().enumerate() {
            // Round 0 warms up and has a tenth of the tasks.
            let n = (tasks / case.divisor / if round == 0 { 10 } else { 1 }).max(1);
            let all = (case.measure)(&pool, n);
            right[c] &= all.is_some();
            if round > 0 {
                ns[c].push(all.unwrap_or(0.0) / n as f64);
            }
        }
    }
    for (c, case) in CASES.iter().enumerate() {
        ns[c].sort_by(|a, b| a.partial_cmp(b).unwrap());
        let last = repeat - 1;
        println!(
            "{{\"name\":\"rayon\",\"version\":\"{}\",\"case\":\"{}\",\"how\":\"{}\",\"workers\":{},\"tasks\":{},\
             \"repeat\":{},\"ns_per_task\":{:.2},\"quartile_low_ns\":{:.2},\"quartile_high_ns\":{:.2},\"check\":{}}}",
            option_env!("RAYON_VERSION").unwrap_or("unknown"), case.name, case.how, workers,
            (tasks / case.divisor).max(1), repeat, ns[c][(last + 1) / 2], ns[c][(last + 2) / 4],
            ns[c][(3 * last + 2) / 4], right[c]
        );
    }
    std::process::exit(if right.iter().all(|&r| r) { 0 } else { 1 });
}
