//! Reads the files of a run and shows the progress.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::lint::{Content, Input};

/// A run that takes longer shows its progress.
const PATIENCE: Duration = Duration::from_millis(500);

/// The files of a run while they are read.
pub struct Reading<'i> {
    /// The files in the order of their indices.
    pub list: Vec<Input>,
    load: Box<dyn Fn(usize) -> Content + Sync + 'i>,
    quiet: bool,
    started: Instant,
    read: AtomicUsize,
    bar: ProgressBar,
}

impl<'i> Reading<'i> {
    /// Begins to read files that `load` loads by their index.
    pub fn of(
        list: Vec<Input>,
        load: impl Fn(usize) -> Content + Sync + 'i,
        quiet: bool,
    ) -> Reading<'i> {
        let bar = ProgressBar::hidden();
        bar.set_length(list.len() as u64);
        Reading {
            list,
            load: Box::new(load),
            quiet,
            started: Instant::now(),
            read: AtomicUsize::new(0),
            bar,
        }
    }

    /// The content of the file with this index.
    pub fn load(&self, index: usize) -> Content {
        let content = (self.load)(index);
        let done = 1 + self.read.fetch_add(1, Ordering::Relaxed);
        if !self.quiet && self.started.elapsed() > PATIENCE {
            if self.bar.is_hidden() {
                // Draws only on a terminal.
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            self.bar.set_position(done.min(self.list.len()) as u64);
        }
        content
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
