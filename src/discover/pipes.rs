//! Inputs that may be read twice: a file is read again, the contents of a pipe are kept.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{File, Loaded, load, read_stdin};

/// The contents of pipes and standard input, which can only be read once.
#[derive(Debug, Default)]
pub struct Pipes {
    kept: Mutex<BTreeMap<usize, Loaded>>,
}

impl Pipes {
    /// Reads the input with this index: a file, or standard input if `None`.
    pub fn load(&self, index: usize, file: Option<&File>) -> Loaded {
        match file {
            // A file with a size is not a pipe.
            Some(file) if file.bytes > 0 => load(file),
            Some(file) => self.once(index, || load(file)),
            None => self.once(index, read_stdin),
        }
    }

    fn once(&self, index: usize, read: impl FnOnce() -> Loaded) -> Loaded {
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lock().get(&index).cloned();
        kept.unwrap_or_else(|| {
            // Not locked during the read: one pipe may have to wait for data that is written to another.
            let loaded = read();
            lock().insert(index, loaded.clone());
            loaded
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_read_once_and_gives_the_same_twice() {
        let pipes = Pipes::default();
        let first = pipes.once(3, || Loaded::Text("a".to_owned()));
        let second = pipes.once(3, || Loaded::Text("nothing is left".to_owned()));
        assert_eq!((&first, &second), (&Loaded::Text("a".to_owned()), &first));
    }
}
