// SPDX-License-Identifier: MIT
// peer.rs — options of a kernel peer, one run with its two clocks, the line it prints
use std::os::raw::c_long;
use std::process::exit;
use std::time::Instant;

/// A runtime, and the thing of it that is measured.
pub struct Peer {
    pub name: &'static str,
    pub version: &'static str,
    pub program: &'static str,
}

pub struct Options {
    pub problem: String,
    pub workers: usize,
    pub repeat: usize,
}

/// What one run took, of the wall clock and of all CPUs.
pub struct Run {
    pub seconds: f64,
    pub cpu_s: f64,
    pub is_right: bool,
}

extern "C" {
    fn clock() -> c_long; // microseconds of CPU time of the process, as POSIX has it
}

pub fn cpu_now() -> f64 {
    unsafe { clock() as f64 * 1e-6 }
}

/// Both clocks around the body; the caller judges.
pub fn clocked(body: impl FnOnce()) -> Run {
    let (cpu, start) = (cpu_now(), Instant::now());
    body();
    Run { seconds: start.elapsed().as_secs_f64(), cpu_s: cpu_now() - cpu, is_right: false }
}

pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(|a, b| a.partial_cmp(b).unwrap());
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

fn list(numbers: impl Iterator<Item = f64>) -> String {
    numbers.map(|x| format!("{:.9}", x)).collect::<Vec<_>>().join(",")
}

impl Peer {
    fn usage(&self) -> ! {
        eprintln!("usage: {} --problem KERNEL:SIZE --workers N --repeat R", self.program);
        exit(2);
    }

    pub fn options(&self) -> Options {
        let mut options = Options { problem: String::new(), workers: 1, repeat: 3 };
        let mut words = std::env::args().skip(1);
        while let Some(option) = words.next() {
            let word = words.next().unwrap_or_else(|| self.usage());
            let number = || word.parse().ok().filter(|&n| n > 0).unwrap_or_else(|| self.usage());
            match option.as_str() {
                "--workers" => options.workers = number(),
                "--repeat" => options.repeat = number(),
                "--problem" => options.problem = word,
                _ => self.usage(),
            }
        }
        if !options.problem.contains(':') {
            self.usage();
        }
        options
    }

    /// Says that it cannot, and why.
    pub fn refuse(&self, problem: &str, why: &str) -> ! {
        eprintln!("{}: {} is not offered: {}", self.program, problem, why);
        exit(3);
    }

    /// Warms up, runs, prints; ends the process.
    pub fn measure(&self, options: &Options, how: &str, mut run: impl FnMut() -> Run) -> ! {
        let is_right = run().is_right;
        self.measure_warm(options, how, is_right, run)
    }

    /// The same for who has warmed up, and was right or not.
    pub fn measure_warm(
        &self,
        options: &Options,
        how: &str,
        mut is_right: bool,
        mut run: impl FnMut() -> Run,
    ) -> ! {
        let runs: Vec<Run> = (0..options.repeat).map(|_| run()).collect();
        is_right &= runs.iter().all(|run| run.is_right);
        println!(
            "{{\"name\":\"{}\",\"version\":\"{}\",\"problem\":\"{}\",\"case\":\"\",\"how\":\"{}\",\
             \"workers\":{},\"repeat\":{},\"seconds\":[{}],\"cpu_s\":[{}],\"check\":{}}}",
            self.name,
            self.version,
            options.problem,
            how,
            options.workers,
            options.repeat,
            list(runs.iter().map(|run| run.seconds)),
            list(runs.iter().map(|run| run.cpu_s)),
            is_right
        );
        exit(if is_right { 0 } else { 1 });
    }
}

impl Options {
    pub fn kernel(&self) -> &str {
        self.problem.split(':').next().unwrap_or("")
    }

    pub fn size(&self) -> &str {
        self.problem.splitn(2, ':').nth(1).unwrap_or("")
    }
}
