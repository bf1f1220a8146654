//! Lists the rule, provider and chart files, so that the program carries them and adding one touches no source file.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let mut code = String::new();
    for (constant, folder) in [
        ("RULES", "rules"),
        ("PROVIDERS", "providers"),
        ("CHARTS", "charts"),
    ] {
        let folder = Path::new(&root).join(folder);
        println!("cargo:rerun-if-changed={}", folder.display());
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".yaml") {
                names.push(name);
            }
        }
        names.sort();
        let _ = writeln!(
            code,
            "/// Name and text of each file in `{}/`.",
            folder.file_name().unwrap_or_default().to_string_lossy()
        );
        let _ = writeln!(code, "pub const {constant}: &[(&str, &str)] = &[");
        for name in names {
            let path = folder.join(&name);
            let _ = writeln!(
                code,
                "    ({name:?}, include_str!({:?})),",
                path.display().to_string()
            );
        }
        let _ = writeln!(code, "];");
    }
    fs::write(Path::new(&out).join("builtin.rs"), code)
}
