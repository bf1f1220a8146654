//! A check of a small repository: every place of the report lies in a file, and every format writes it.

#![no_main]

use std::path::Path;

use kubetaint::output::{Format, Standpoint, View, write};
use kubetaint_fuzz::{files, prepare, report, report_places};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(init: prepare(), |input: &str| {
    let files = files(input, "a.yaml");
    let Some(report) = report(&files) else { return };
    report_places(&report);
    let standpoint = Standpoint::new(Path::new("/a"), Path::new("/a"));
    let view = View {
        report: &report,
        standpoint: &standpoint,
        min_severity: None,
        color: true,
        hyperlinks: true,
        width: 80,
        with_suppressed: true,
        version: "0.0.0",
        quiet: false,
        verbose: true,
        rules: &[],
        exit_code: 1,
    };
    for format in Format::ALL {
        let mut written = Vec::new();
        write(*format, &view, &mut written).expect("memory can be written");
        let text = String::from_utf8(written).expect("a report is text");
        if ["json", "sarif", "gitlab", "rdjson"].contains(&format.name()) {
            serde_json::from_str::<Value>(&text).expect("JSON");
        }
    }
});
