//! The arguments of commands that print what kubetaint knows: rules and charts.

use std::path::PathBuf;

use clap::Args;

use super::values::Listing;

/// `kubetaint rules`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint rules\n  \
        kubetaint rules -o json\n  \
        kubetaint rules --rules policies/")]
pub struct Rules {
    /// How to list them
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: Listing,

    /// A folder with rules of your own, listed with the built-in ones and those of the configuration. May be given several
    /// times
    #[arg(long, value_name = "DIR")]
    pub rules: Vec<PathBuf>,
}

/// `kubetaint charts`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint charts\n  \
        kubetaint charts falco\n  \
        kubetaint charts falco -o json")]
pub struct Charts {
    /// The chart; without it, all names are listed
    #[arg(value_name = "NAME")]
    pub name: Option<String>,

    /// How to list them
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: Listing,
}

/// `kubetaint explain`
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
        kubetaint explain value-with-exists\n  \
        kubetaint explain value-with-exists --examples\n  \
        kubetaint explain our-own-rule --rules policies/")]
pub struct Explain {
    /// The rule's id, as findings show it and `kubetaint rules` lists it
    #[arg(value_name = "RULE")]
    pub rule: String,

    /// Print the whole page, with the rule's condition and its examples
    #[arg(long)]
    pub examples: bool,

    /// A folder with rules of your own, where the rule may be, beside those of the configuration. May be given several times
    #[arg(long, value_name = "DIR")]
    pub rules: Vec<PathBuf>,
}
