//! The terminal that standard output may be: its colours, links and width.

use std::env;
use std::io::IsTerminal;

use crate::cli::{Cli, Color};

/// How the terminal wants to be written to.
pub struct Screen {
    /// With colours.
    pub color: bool,
    /// With links: on a terminal that is known to have them.
    pub hyperlinks: bool,
    /// Columns; 0 when standard output is no terminal.
    pub width: usize,
}

impl Screen {
    /// What standard output is, and what the user asks for.
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

/// The flag decides; then `NO_COLOR`, then `CLICOLOR_FORCE` (each counts when it is set and not empty, the second not
/// when it is `0`), then whether there is a terminal that has colours.
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
