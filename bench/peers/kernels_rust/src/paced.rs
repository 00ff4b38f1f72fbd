// SPDX-License-Identifier: MIT
// paced.rs — kernels that wait between jobs: tick, latency, idle; the runtime brings its calls
use crate::leaves::{idle_job, idle_run, tick_job, tick_run, Idle, Tick};
use crate::peer::{cpu_now, median, Run};
use crate::work::Data;
use std::os::raw::c_void;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread::{current, park, sleep, Thread};
use std::time::{Duration, Instant};

// --- tick and idle: C has the clock, the pauses and the judge ---

/// The jobs of a burst, to be run by anybody, each once.
pub struct Jobs<T>(*mut T);

unsafe impl<T> Send for Jobs<T> {} // each writes to a place of its own
unsafe impl<T> Sync for Jobs<T> {}

impl<T> Clone for Jobs<T> {
    fn clone(&self) -> Jobs<T> {
        *self
    }
}

impl<T> Copy for Jobs<T> {}

impl Jobs<Tick> {
    pub fn run(self, i: usize) {
        unsafe { tick_job(self.0, i as u32) }
    }
}

impl Jobs<Idle> {
    pub fn run(self, i: usize) {
        unsafe { idle_job(self.0, i as u32) }
    }
}

/// What C calls; way is the closure.
unsafe extern "C" fn burst_of<T, F: FnMut(Jobs<T>)>(data: *mut T, way: *mut c_void) {
    (*(way as *mut F))(Jobs(data));
}

fn way<F>(burst: &mut F) -> *mut c_void {
    burst as *mut F as *mut c_void
}

/// `burst` runs all TICK_JOBS and returns when they are done.
pub fn tick<F: FnMut(Jobs<Tick>)>(data: &mut Data<Tick>, mut burst: F) -> Run {
    let run = data.run(|tick| unsafe { tick_run(tick, burst_of::<Tick, F>, way(&mut burst)) });
    Run { seconds: data.reading("burst_p50").0 * 1e-9, ..run }
}

/// `burst` runs all IDLE_JOBS and returns when they are done.
pub fn idle<F: FnMut(Jobs<Idle>)>(data: &mut Data<Idle>, mut burst: F) -> Run {
    let run = data.run(|idle| unsafe { idle_run(idle, burst_of::<Idle, F>, way(&mut burst)) });
    let (cpu_ns, seconds) = data.reading("cpu");
    Run { seconds, cpu_s: cpu_ns * 1e-9, ..run }
}

// --- latency ---

/// Where a job notes when it began, and whom it then tells.
pub struct Stamp {
    base: Instant,
    start: AtomicU64, // ns since base; 0: the job has not begun
    waiter: Thread,
}

impl Stamp {
    fn now(&self) -> u64 {
        self.base.elapsed().as_nanos() as u64
    }

    /// The job.
    pub fn hit(&self) {
        self.start.store(self.now(), SeqCst);
        self.waiter.unpark();
    }

    fn wait(&self) -> u64 {
        loop {
            match self.start.swap(0, SeqCst) {
                0 => park(),
                start => return start,
            }
        }
    }
}

const SILENCE: Duration = Duration::from_millis(1); // before each job: workers fall asleep

/// `submit` hands over a job that is `Stamp::hit`, and does not wait.
pub fn latency(jobs: u64, submit: impl Fn(&'static Stamp)) -> Run {
    let stamp: &Stamp = Box::leak(Box::new(Stamp {
        base: Instant::now(),
        start: AtomicU64::new(0),
        waiter: current(),
    }));
    let (cpu, mut waits, mut is_right) = (cpu_now(), Vec::new(), true);
    for _ in 0..jobs {
        sleep(SILENCE); // the first one makes sure that no time is 0
        let sent = stamp.now();
        submit(stamp);
        let start = stamp.wait();
        is_right &= start >= sent;
        waits.push(start.saturating_sub(sent) as f64);
    }
    is_right &= waits.len() as u64 == jobs;
    Run { seconds: median(waits) * 1e-9, cpu_s: cpu_now() - cpu, is_right }
}
