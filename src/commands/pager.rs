//! Shows long texts on a terminal in a pager: `$PAGER`, or else `less`.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

/// Shows a text in the pager if it is longer than the terminal. Otherwise, or without a pager, writes it to `out`.
///
/// # Errors
/// Returns an error if `out` fails.
pub fn show(text: &str, out: &mut dyn Write) -> io::Result<()> {
    if is_long(text) && ask_pager(text) {
        return Ok(());
    }
    out.write_all(text.as_bytes())
}

/// Whether standard output is a terminal with fewer lines than the text.
fn is_long(text: &str) -> bool {
    let size = console::Term::stdout().size_checked();
    let rows = size.map_or(0, |(rows, _)| usize::from(rows));
    io::stdout().is_terminal() && text.lines().count() >= rows
}

/// Runs the pager. Returns whether it started; text that it does not read is dropped.
fn ask_pager(text: &str) -> bool {
    let pager = env::var("PAGER").ok();
    let Some((program, arguments)) = command(pager.as_deref()) else {
        return false;
    };
    let started = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        return false;
    };
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(text.as_bytes());
    }
    let _ = child.wait();
    true
}

/// The program and its arguments. An empty `$PAGER` and `cat` disable the pager.
fn command(pager: Option<&str>) -> Option<(String, Vec<String>)> {
    let mut words = pager
        .unwrap_or("less -FRX")
        .split_whitespace()
        .map(str::to_owned);
    let program = words.next().filter(|program| program != "cat")?;
    Some((program, words.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_decides_and_less_is_the_default() {
        let line = |pager| {
            let (program, arguments) = command(pager)?;
            Some([&[program], arguments.as_slice()].concat().join(" "))
        };
        assert_eq!(line(None).as_deref(), Some("less -FRX"));
        assert_eq!(line(Some("more -s")).as_deref(), Some("more -s"));
        assert_eq!(line(Some("")), None);
        assert_eq!(line(Some("cat")), None);
    }
}
