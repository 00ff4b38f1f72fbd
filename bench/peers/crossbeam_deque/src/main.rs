// SPDX-License-Identifier: MIT
// main.rs — crossbeam-deque measured as `skua bench deque` measures ours: the same rows and sizes
//
// Calls are kept out of line, as a C library's are: inlined into the loop they would be another
// question.  Elements are numbered from 1; count and sum of what comes out must be those of what
// went in, else the exit status is 1.
use crossbeam_deque::{Steal, Stealer, Worker};
use std::sync::{Arc, Barrier};
use std::time::Instant;

const PAIRS: u64 = 20000;
const STEALS: u64 = 2000;
const BELOW: u64 = 8;
const ROUNDS: usize = 31;

#[derive(Default)]
struct Tally {
    count: u64,
    sum: u64,
}

impl Tally {
    fn add(&mut self, element: u64) {
        self.count += 1;
        self.sum += element;
    }

    fn check(&self, n: u64) {
        if self.count != n || self.sum != n * (n + 1) / 2 {
            eprintln!("crossbeam_deque: elements were lost or came out twice");
            std::process::exit(1);
        }
    }
}

#[inline(never)]
fn push(deque: &Worker<u64>, element: u64) {
    deque.push(element);
}

#[inline(never)]
fn pop(deque: &Worker<u64>) -> Option<u64> {
    deque.pop()
}

#[inline(never)]
fn steal(deque: &Stealer<u64>) -> Steal<u64> {
    deque.steal()
}

fn ns_each(start: Instant, n: u64) -> f64 {
    start.elapsed().as_nanos() as f64 / n as f64
}

fn pairs(below: u64) -> f64 {
    let deque = Worker::new_lifo();
    let mut out = Tally::default();
    for _ in 0..below {
        push(&deque, 0);
    }
    let start = Instant::now();
    for i in 1..=PAIRS {
        push(&deque, i);
        if let Some(element) = pop(&deque) {
            out.add(element);
        }
    }
    let ns = ns_each(start, PAIRS);
    out.check(PAIRS);
    ns
}

fn steal_all(deque: &Stealer<u64>) -> (f64, Tally) {
    let mut out = Tally::default();
    let start = Instant::now();
    while out.count < STEALS {
        if let Steal::Success(element) = steal(deque) {
            out.add(element);
        }
    }
    (ns_each(start, STEALS), out)
}

fn filled() -> Worker<u64> {
    let deque = Worker::new_lifo();
    for i in 1..=STEALS {
        push(&deque, i);
    }
    deque
}

fn steal_alone() -> f64 {
    let (ns, out) = steal_all(&filled().stealer());
    out.check(STEALS);
    ns
}

fn steal_busy() -> f64 {
    let deque = filled();
    let stealer = deque.stealer();
    let line = Arc::new(Barrier::new(2));
    let start = line.clone();
    let thief = std::thread::spawn(move || {
        start.wait();
        steal_all(&stealer)
    });
    line.wait();
    while !deque.is_empty() {
        for _ in 0..16 {
            push(&deque, u64::MAX);
            pop(&deque);
        }
    }
    let (ns, out) = thief.join().unwrap();
    out.check(STEALS);
    ns
}

fn steal_empty() -> f64 {
    let deque: Worker<u64> = Worker::new_lifo();
    let stealer = deque.stealer();
    let start = Instant::now();
    for _ in 0..STEALS {
        if !steal(&stealer).is_empty() {
            Tally::default().check(1);
        }
    }
    ns_each(start, STEALS)
}

fn quartile(sorted: &[f64], fraction: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * fraction).round() as usize]
}

fn main() {
    let rows: [(&str, fn() -> f64); 5] = [
        ("push + pop, others below", || pairs(BELOW)),
        ("push + pop, the only one", || pairs(0)),
        ("steal, owner asleep", steal_alone),
        ("steal, owner at work", steal_busy),
        ("steal, nothing there", steal_empty),
    ];
    let mut samples = vec![Vec::new(); rows.len()];
    for _ in 0..ROUNDS {
        for (row, sample) in rows.iter().zip(samples.iter_mut()) {
            sample.push((row.1)());
        }
    }
    println!("  {:<26}{}", "ns, median [quartiles]", "crossbeam-deque");
    for (row, sample) in rows.iter().zip(samples.iter_mut()) {
        sample.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let (low, middle, high) = (quartile(sample, 0.25), quartile(sample, 0.5), quartile(sample, 0.75));
        println!("  {:<26}{:.1} [{:.1} {:.1}]", row.0, middle, low, high);
    }
}
