// SPDX-License-Identifier: MIT
// main.rs — crossbeam-deque with the kernels of bench/work that need no join
mod jobs;
mod pool;

use jobs::*;
use kernels_rust::leaves::{IDLE_JOBS, TICK_JOBS};
use kernels_rust::paced::{idle, latency, tick, Stamp};
use kernels_rust::peer::{Options, Peer};
use kernels_rust::work::{size_of, Data};
use pool::{Job, Pool};

const PEER: Peer = Peer {
    name: "crossbeam",
    program: "kernels_crossbeam",
    version: match option_env!("PEER_VERSION") {
        Some(version) => version,
        None => "unknown",
    },
};
const HOW: &str = "Worker, Stealer and Injector under std threads";
const NO_JOIN: &str = "deques have no join, jobs here are not waited for one by one";

fn known<T>(options: &Options, found: Option<T>) -> T {
    found.unwrap_or_else(|| PEER.refuse(&options.problem, "bench/work has no such problem"))
}

fn open<T>(options: &Options) -> Data<T> {
    known(options, Data::open(options.kernel(), options.size()))
}

fn measure<T, J: Job>(options: &Options, body: impl Fn(&mut T, &Pool<J>)) -> ! {
    let mut data = open::<T>(options);
    let pool = Pool::new(options.workers);
    PEER.measure(options, HOW, || data.run(|data| body(data, &pool)));
}

fn main() {
    let options = PEER.options();
    match options.kernel() {
        "nqueens" => measure(&options, run_nqueens),
        "uts" => measure(&options, run_uts),
        "skynet" => measure(&options, run_skynet),
        "tick" => {
            let (mut data, pool) = (open(&options), Pool::new(options.workers));
            PEER.measure(&options, HOW, || tick(&mut data, |jobs| burst(&pool, jobs, TICK_JOBS)))
        }
        "idle" => {
            let (mut data, pool) = (open(&options), Pool::new(options.workers));
            PEER.measure(&options, HOW, || idle(&mut data, |jobs| burst(&pool, jobs, IDLE_JOBS)))
        }
        "latency" => {
            let jobs = known(&options, size_of("latency", options.size()));
            let pool = Pool::<&'static Stamp>::new(options.workers);
            PEER.measure(&options, HOW, || latency(jobs, |stamp| pool.submit(stamp)))
        }
        "fib" | "treesum" | "matmul" | "strassen" | "cilksort" => {
            PEER.refuse(&options.problem, NO_JOIN)
        }
        _ => PEER.refuse(&options.problem, "there is no such kernel here"),
    }
}
