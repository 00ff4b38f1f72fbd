// SPDX-License-Identifier: MIT
// main.rs — rayon with the kernels of bench/work: join in ThreadPool::install
//
// join runs its first closure here and leaves the second for thieves.  Where ours forks several
// children, they are halved: as many joins as there are forks, and no box for each of them.
mod counts;
mod matrices;
mod sorts;

use kernels_rust::leaves::{IDLE_JOBS, TICK_JOBS};
use kernels_rust::paced::{idle, latency, tick};
use kernels_rust::peer::{Options, Peer, Run};
use kernels_rust::work::{size_of, Data};
use rayon::{ThreadPool, ThreadPoolBuilder};

const STACK: usize = 64 << 20; // bytes; a thief goes down the tree from where it waits

const PEER: Peer = Peer {
    name: "rayon",
    program: "kernels_rayon",
    version: match option_env!("PEER_VERSION") {
        Some(version) => version,
        None => "unknown",
    },
};

/// The kernel's data, or the end of the program.
fn open<T>(options: &Options) -> Data<T> {
    Data::open(options.kernel(), options.size())
        .unwrap_or_else(|| PEER.refuse(&options.problem, "bench/work has no such problem"))
}

/// One that joins: its data, and what is done in the pool.
fn measure<T>(options: &Options, body: impl Fn(&mut T)) -> ! {
    let mut data = open::<T>(options);
    PEER.measure(options, "join in ThreadPool::install", || data.run(&body));
}

/// Jobs that nobody waits for one by one.
fn scope(pool: &ThreadPool, count: usize, job: impl Fn(usize) + Sync) {
    let job = &job;
    pool.scope(|scope| (0..count).for_each(|i| scope.spawn(move |_| job(i))));
}

fn measure_latency(options: &Options, pool: &ThreadPool) -> ! {
    let jobs = size_of("latency", options.size())
        .unwrap_or_else(|| PEER.refuse(&options.problem, "bench/work has no such problem"));
    let run = || -> Run { latency(jobs, |stamp| pool.spawn(move || stamp.hit())) };
    PEER.measure(options, "ThreadPool::spawn", run);
}

fn main() {
    let options = PEER.options();
    let builder = ThreadPoolBuilder::new().num_threads(options.workers).stack_size(STACK);
    let pool = &builder.build().expect("a pool of threads");
    match options.kernel() {
        "fib" => measure(&options, |data| counts::run_fib(data, pool)),
        "treesum" => measure(&options, |data| counts::run_treesum(data, pool)),
        "nqueens" => measure(&options, |data| counts::run_nqueens(data, pool)),
        "uts" => measure(&options, |data| counts::run_uts(data, pool)),
        "skynet" => measure(&options, |data| counts::run_skynet(data, pool)),
        "matmul" => measure(&options, |data| matrices::run_matmul(data, pool)),
        "strassen" => measure(&options, |data| matrices::run_strassen(data, pool)),
        "cilksort" => measure(&options, |data| sorts::run_cilksort(data, pool)),
        "tick" => {
            let mut data = open(&options);
            let run = || tick(&mut data, |jobs| scope(pool, TICK_JOBS, |i| jobs.run(i)));
            PEER.measure(&options, "ThreadPool::scope and spawn", run)
        }
        "latency" => measure_latency(&options, pool),
        "idle" => {
            let mut data = open(&options);
            let run = || idle(&mut data, |jobs| scope(pool, IDLE_JOBS, |i| jobs.run(i)));
            PEER.measure(&options, "ThreadPool::scope and spawn, then nothing", run)
        }
        "algo" | "loops" => PEER.refuse(&options.problem, "algo_rayon has it"),
        _ => PEER.refuse(&options.problem, "there is no such kernel here"),
    }
}
