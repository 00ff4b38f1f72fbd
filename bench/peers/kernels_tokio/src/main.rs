// SPDX-License-Identifier: MIT
// main.rs — tokio: kernels of bench/work as tasks of its multi-thread runtime: spawn and await
//
// tokio is made for tasks that wait, not for those that compute: only the kernels that have to do
// with spawning and waking are asked of it.
use kernels_rust::leaves::{Idle, Skynet, Tick, IDLE_JOBS, SKYNET_WIDE, TICK_JOBS};
use kernels_rust::paced::{idle, latency, tick, Jobs, Stamp};
use kernels_rust::peer::{Options, Peer};
use kernels_rust::work::{size_of, Data};
use std::future::Future;
use std::pin::Pin;
use tokio::runtime::{Builder, Runtime};
use tokio::spawn;

const PEER: Peer = Peer {
    name: "tokio",
    program: "kernels_tokio",
    version: match option_env!("PEER_VERSION") {
        Some(version) => version,
        None => "unknown",
    },
};
const HOW: &str = "spawn and await in the multi-thread runtime";
const FAILED: &str = "a task that ends";

/// Boxed, as a future cannot hold one of its own kind.
fn skynet(first: u64, leaves: u64) -> Pin<Box<dyn Future<Output = u64> + Send>> {
    Box::pin(async move {
        let part = leaves / SKYNET_WIDE;
        if leaves == 1 {
            return first;
        }
        let tasks: Vec<_> =
            (0..SKYNET_WIDE).map(|i| spawn(skynet(first + i * part, part))).collect();
        let mut sum = 0;
        for task in tasks {
            sum += task.await.expect(FAILED);
        }
        sum
    })
}

/// The task runs on a worker; the calling thread waits for it.
fn outside<T: Send + 'static>(
    runtime: &Runtime,
    task: impl Future<Output = T> + Send + 'static,
) -> T {
    runtime.block_on(runtime.spawn(task)).expect(FAILED)
}

fn run_skynet(data: &mut Skynet, runtime: &Runtime) {
    for _ in 0..data.times {
        data.result += outside(runtime, skynet(0, data.leaves));
    }
}

async fn all(count: usize, job: impl Fn(usize) + Copy + Send + 'static) {
    let tasks: Vec<_> = (0..count).map(|i| spawn(async move { job(i) })).collect();
    for task in tasks {
        task.await.expect(FAILED);
    }
}

fn known<T>(options: &Options, found: Option<T>) -> T {
    found.unwrap_or_else(|| PEER.refuse(&options.problem, "bench/work has no such problem"))
}

fn open<T>(options: &Options) -> Data<T> {
    known(options, Data::open(options.kernel(), options.size()))
}

fn main() {
    let options = PEER.options();
    let runtime = Builder::new_multi_thread().worker_threads(options.workers).build();
    let runtime = runtime.expect("a runtime with its threads");
    match options.kernel() {
        "skynet" => {
            let mut data: Data<Skynet> = open(&options);
            let leaves = data.reset().leaves; // one pass to warm up: all of them take half a minute
            let is_right = outside(&runtime, skynet(0, leaves)) == leaves * (leaves - 1) / 2;
            let run = || data.run(|data| run_skynet(data, &runtime));
            PEER.measure_warm(&options, HOW, is_right, run)
        }
        "tick" => {
            let mut data = open(&options);
            let burst = |jobs: Jobs<Tick>| outside(&runtime, all(TICK_JOBS, move |i| jobs.run(i)));
            PEER.measure(&options, HOW, || tick(&mut data, burst))
        }
        "idle" => {
            let mut data = open(&options);
            let burst = |jobs: Jobs<Idle>| outside(&runtime, all(IDLE_JOBS, move |i| jobs.run(i)));
            PEER.measure(&options, HOW, || idle(&mut data, burst))
        }
        "latency" => {
            let jobs = known(&options, size_of("latency", options.size()));
            let submit = |stamp: &'static Stamp| {
                runtime.spawn(async move { stamp.hit() });
            };
            PEER.measure(&options, "Runtime::spawn", || latency(jobs, submit))
        }
        _ => PEER.refuse(&options.problem, "tokio's tasks are for waiting, not for computing"),
    }
}
