//! Inputs that may be asked for twice: a file is read again, what came out of a pipe is kept.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{File, Loaded, load, read_stdin};

/// What came out of pipes, standard input first among them: the same does not come out twice.
#[derive(Debug, Default)]
pub struct Pipes {
    kept: Mutex<BTreeMap<usize, Loaded>>,
}

impl Pipes {
    /// Reads the input of this index: a file, or standard input without one.
    pub fn load(&self, index: usize, file: Option<&File>) -> Loaded {
        match file {
            // A size says that this is no pipe.
            Some(file) if file.bytes > 0 => load(file),
            Some(file) => self.once(index, || load(file)),
            None => self.once(index, read_stdin),
        }
    }

    fn once(&self, index: usize, read: impl FnOnce() -> Loaded) -> Loaded {
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lock().get(&index).cloned();
        kept.unwrap_or_else(|| {
            // Not locked meanwhile: one pipe may have to wait for what is written to another.
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
