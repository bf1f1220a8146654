//! Starts the threads that read and judge files, as many as the system permits.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::{env, thread};

use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// Starts this many threads, or one for each core if it is 0. If the system permits fewer, there are fewer. If it permits
/// none, the caller's own thread does all the work.
pub fn start(wanted: usize) {
    // Rayon gives up for good if a single thread cannot be started, so it only gets threads that run already.
    let mut running = running(if wanted == 0 { usual() } else { wanted });
    let pool = ThreadPoolBuilder::new();
    // Fails only if there are threads already.
    let _ = match running.len() {
        0 => pool.num_threads(1).use_current_thread().build_global(),
        number => pool
            .num_threads(number)
            .spawn_handler(move |thread| {
                let next = running.pop().map(|next| next.send(thread));
                match next {
                    Some(Ok(())) => Ok(()),
                    Some(Err(_)) | None => Err(io::Error::other("there is no thread")),
                }
            })
            .build_global(),
    };
}

/// Starts threads, and returns where each waits for its work.
fn running(wanted: usize) -> Vec<Sender<ThreadBuilder>> {
    let (ready, waiting) = channel();
    for _ in 0..wanted {
        let ready = ready.clone();
        let started = thread::Builder::new().spawn(move || {
            let (give, work) = channel::<ThreadBuilder>();
            let is_awaited = ready.send(give).is_ok();
            drop(ready);
            if let Ok(work) = work.recv()
                && is_awaited
            {
                work.run();
            }
        });
        if started.is_err() {
            break;
        }
    }
    drop(ready);
    // A thread may also end at once, for want of memory. It is not waited for.
    waiting.iter().collect()
}

/// As many as Rayon starts by itself.
fn usual() -> usize {
    let set = env::var("RAYON_NUM_THREADS").ok();
    let set = set.and_then(|number| number.parse().ok());
    let set = set.filter(|number| *number > 0);
    set.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
}
