//! JSON Schemas of the files that kubetaint reads and writes, generated from their Rust types.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "a field that is assigned to a JSON object by its name comes into being"
    )
)]

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::charts::ChartFile;
use crate::cli::SchemaOf;
use crate::config::ConfigFile;
use crate::extract::rows::Provider;
use crate::output::{clusters_schema, report_schema};
use crate::rule::schema::RuleFile;

/// The schema of one file format.
pub fn schema(of: SchemaOf) -> Value {
    let schema = match of {
        SchemaOf::Config => read::<ConfigFile>(),
        SchemaOf::Rule => read::<RuleFile>(),
        SchemaOf::Provider => read::<Provider>(),
        SchemaOf::Chart => read::<ChartFile>(),
        SchemaOf::Report => report_schema(written()),
        SchemaOf::Clusters => clusters_schema(written()),
    };
    let mut schema = schema.to_value();
    schema["$id"] = json!(format!("urn:kubetaint:schema:{}", of.name()));
    schema
}

fn written() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
}

fn read<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>()
}
