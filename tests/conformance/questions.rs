//! Questions to an oracle: a program that answers each line with one.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::thread;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::vectors::text;

/// Questions that may wait for their answers. An oracle may read many before it answers the first.
const WAITING: usize = 100_000;

/// Asks an oracle and hands each question on with its answer, in order.
pub fn ask<Q: Serialize + Send, A: DeserializeOwned>(
    oracle: &mut Command,
    questions: impl Iterator<Item = Q> + Send,
    mut take: impl FnMut(Q, A),
) {
    let mut oracle = oracle
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the oracle starts");
    let mut input = BufWriter::new(oracle.stdin.take().expect("a pipe"));
    let answers = BufReader::new(oracle.stdout.take().expect("a pipe"));
    let (sender, asked) = sync_channel(WAITING);
    // What is moved in is gone when a wrong answer ends the test, so that the other thread does not wait for ever.
    thread::scope(move |scope| {
        scope.spawn(move || {
            for question in questions {
                writeln!(input, "{}", text(&question)).expect("the oracle reads");
                sender.send(question).expect("the answers are read");
            }
        });
        for line in answers.lines() {
            let line = line.expect("the oracle writes lines");
            let question = asked.recv().expect("a question for each answer");
            take(question, serde_json::from_str(&line).expect("an answer"));
        }
        assert!(asked.recv().is_err(), "an answer to each question");
    });
    assert!(oracle.wait().expect("the oracle ends").success());
}

/// The oracle that a variable of the environment names.
pub fn oracle(variable: &str) -> Command {
    let program = std::env::var_os(variable);
    Command::new(program.unwrap_or_else(|| panic!("{variable} names the oracle")))
}
