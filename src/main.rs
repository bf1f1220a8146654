//! Reads the arguments, runs one command, turns the outcome into an exit code.

fn main() {}
