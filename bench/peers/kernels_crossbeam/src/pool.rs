// SPDX-License-Identifier: MIT
// pool.rs — a pool as users of crossbeam-deque write it: pop, inject, steal, sleep
//
// Jobs are values of one type and nobody waits for a single one: a counter says how many are left.
//
// A worker that finds nothing backs off for a while, then takes the lock, says that it sleeps,
// looks once more, and waits.  Who pushes looks for sleepers behind a fence: so either the sleeper
// sees the job or the pusher sees the sleeper, and the lock keeps the wake from coming before the
// wait.
use crossbeam_deque::{Injector, Steal, Stealer, Worker};
use crossbeam_utils::{Backoff, CachePadded};
use std::iter;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{fence, AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{spawn, JoinHandle};

pub trait Job: Send + Sized + 'static {
    fn run(self, here: &Here<Self>);
}

pub const COUNTERS: usize = 3;

struct Shared<J> {
    injector: Injector<J>,
    stealers: Vec<Stealer<J>>,
    counters: Vec<CachePadded<[AtomicU64; COUNTERS]>>, // of each worker, who alone writes them
    pending: CachePadded<AtomicUsize>,                 // jobs that have not ended
    sleepers: CachePadded<AtomicUsize>,
    is_closed: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar, // sleepers wait for it
    done: Condvar, // who waits for all jobs
}

/// A worker, as its jobs see it.
pub struct Here<J> {
    deque: Worker<J>,
    shared: Arc<Shared<J>>,
    index: usize,
}

pub struct Pool<J: Job> {
    shared: Arc<Shared<J>>,
    threads: Vec<JoinHandle<()>>,
}

impl<J> Shared<J> {
    fn wake_one(&self) {
        fence(SeqCst); // the push above before the look at the sleepers
        if self.sleepers.load(Relaxed) > 0 {
            let _held = self.lock.lock().unwrap();
            self.wake.notify_one();
        }
    }

    fn end_one(&self) {
        if self.pending.fetch_sub(1, AcqRel) == 1 {
            let _held = self.lock.lock().unwrap();
            self.done.notify_all();
        }
    }

    fn is_empty(&self) -> bool {
        self.injector.is_empty() && self.stealers.iter().all(Stealer::is_empty)
    }

    fn sleep(&self) {
        let held = self.lock.lock().unwrap();
        self.sleepers.fetch_add(1, SeqCst);
        fence(SeqCst); // that before the look at the deques
        if self.is_empty() && !self.is_closed.load(Acquire) {
            drop(self.wake.wait(held).unwrap());
        }
        self.sleepers.fetch_sub(1, SeqCst);
    }
}

impl<J: Job> Here<J> {
    pub fn spawn(&self, job: J) {
        self.shared.pending.fetch_add(1, Relaxed);
        self.deque.push(job);
        self.shared.wake_one();
    }

    fn counter(&self, which: usize) -> &AtomicU64 {
        &self.shared.counters[self.index][which]
    }

    pub fn add(&self, which: usize, more: u64) {
        let counter = self.counter(which);
        counter.store(counter.load(Relaxed) + more, Relaxed);
    }

    pub fn at_least(&self, which: usize, value: u64) {
        let counter = self.counter(which);
        counter.store(counter.load(Relaxed).max(value), Relaxed);
    }

    fn find(&self) -> Option<J> {
        self.deque.pop().or_else(|| {
            iter::repeat_with(|| {
                self.shared.injector.steal_batch_and_pop(&self.deque).or_else(|| {
                    let others = self.shared.stealers.iter().enumerate();
                    others
                        .filter(|(i, _)| *i != self.index)
                        .map(|(_, other)| other.steal())
                        .collect()
                })
            })
            .find(|found: &Steal<J>| !found.is_retry())
            .and_then(Steal::success)
        })
    }

    fn work(self) {
        let backoff = Backoff::new();
        while !self.shared.is_closed.load(Acquire) {
            match self.find() {
                Some(job) => {
                    job.run(&self);
                    self.shared.end_one();
                    backoff.reset();
                }
                None if backoff.is_completed() => {
                    self.shared.sleep();
                    backoff.reset();
                }
                None => backoff.snooze(),
            }
        }
    }
}

impl<J: Job> Pool<J> {
    pub fn new(workers: usize) -> Pool<J> {
        let deques: Vec<Worker<J>> = (0..workers).map(|_| Worker::new_lifo()).collect();
        let shared = Arc::new(Shared {
            injector: Injector::new(),
            stealers: deques.iter().map(Worker::stealer).collect(),
            counters: (0..workers).map(|_| CachePadded::new(Default::default())).collect(),
            pending: CachePadded::new(AtomicUsize::new(0)),
            sleepers: CachePadded::new(AtomicUsize::new(0)),
            is_closed: AtomicBool::new(false),
            lock: Mutex::new(()),
            wake: Condvar::new(),
            done: Condvar::new(),
        });
        let start = |(index, deque)| {
            let here = Here { deque, shared: shared.clone(), index };
            spawn(move || here.work())
        };
        let threads = deques.into_iter().enumerate().map(start).collect();
        Pool { shared, threads }
    }

    /// From outside.
    pub fn submit(&self, job: J) {
        self.shared.pending.fetch_add(1, Relaxed);
        self.shared.injector.push(job);
        self.shared.wake_one();
    }

    /// Until every job has ended, those of jobs included.
    pub fn wait(&self) {
        let mut held = self.shared.lock.lock().unwrap();
        while self.shared.pending.load(Acquire) > 0 {
            held = self.shared.done.wait(held).unwrap();
        }
    }

    /// What all workers' counters hold; they are zero afterwards.  Not while jobs run.
    pub fn take(&self, which: usize) -> impl Iterator<Item = u64> + '_ {
        self.shared.counters.iter().map(move |own| own[which].swap(0, Relaxed))
    }
}

impl<J: Job> Drop for Pool<J> {
    fn drop(&mut self) {
        self.shared.is_closed.store(true, SeqCst);
        {
            let _held = self.shared.lock.lock().unwrap();
            self.shared.wake.notify_all();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
