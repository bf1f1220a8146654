//! The properties of standard output as a terminal: colours, links and width.

use std::env;
use std::io::IsTerminal;

use crate::cli::{Cli, Color};

/// How to write to the terminal.
pub struct Screen {
    /// Whether to use colours.
    pub color: bool,
    /// Whether to use links, on terminals known to support them.
    pub hyperlinks: bool,
    /// The width in columns, or 0 if standard output is not a terminal.
    pub width: usize,
}

impl Screen {
    /// Detects the terminal and applies the user's options.
    pub fn of(cli: &Cli) -> Screen {
        let terminal = std::io::stdout().is_terminal();
        let color = wants_color(cli.color, terminal);
        let size = console::Term::stdout().size_checked();
        let width = size.map_or(0, |(_, columns)| usize::from(columns));
        Screen {
            color,
            hyperlinks: color
                && terminal
                && supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout),
            width: if terminal { width } else { 0 },
        }
    }
}

/// The flag has priority, then `NO_COLOR`, then `CLICOLOR_FORCE`, then whether the terminal supports colours. Each variable
/// counts if it is set and not empty, `CLICOLOR_FORCE` only if it is not `0`.
fn wants_color(asked: Color, terminal: bool) -> bool {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    match asked {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if set("NO_COLOR").is_some() => false,
        Color::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        Color::Auto => {
            terminal
                && set("CLICOLOR").is_none_or(|value| value != "0")
                && set("TERM").is_none_or(|value| value != "dumb")
        }
    }
}
