//! The matrix as one HTML page that needs nothing else: a grid for each cluster, with search and filters.

use std::collections::HashMap;
use std::hash::Hash;
use std::io::{self, Write};

use serde::Serialize;

use crate::finding::{FilePlace, Judgement, MatrixCluster, MatrixRow, PlacedObject, Verdict};
use crate::output::escape;

/// The page. Its script builds everything from the data that takes the place of [`DATA`].
const PAGE: &str = include_str!("page.html");
/// The place of the data in the page.
const DATA: &str = "@data@";
/// The most characters of a text. No name of an object and hardly any path is longer.
const LONGEST: usize = 1000;
/// The verdicts in the order of their numbers in the page.
const VERDICTS: [Verdict; 5] = [
    Verdict::Lands,
    Verdict::PrefersNot,
    Verdict::KeptOut,
    Verdict::NotSelected,
    Verdict::Unknown,
];

/// Writes the matrix as a page.
///
/// # Errors
/// Returns an error if `out` fails.
pub fn write_matrix_html(clusters: &[MatrixCluster], out: &mut dyn Write) -> io::Result<()> {
    let (before, after) = PAGE.split_once(DATA).unwrap_or((PAGE, ""));
    let data = serde_json::to_string(&Document::of(clusters))?;
    out.write_all(before.as_bytes())?;
    out.write_all(inert(&data).as_bytes())?;
    out.write_all(after.as_bytes())
}

/// JSON that cannot end the element that holds it. These characters stand only inside strings.
fn inert(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            c => text.push(c),
        }
    }
    text
}

/// Index into one of the tables of the document.
type At = usize;

/// The data of the page. What repeats stands once in a table, so that a cell is two numbers.
#[derive(Serialize)]
struct Document {
    verdicts: [&'static str; 5],
    texts: Vec<String>,
    /// File, line and column.
    places: Vec<(At, u32, u32)>,
    judgements: Vec<Told>,
    clusters: Vec<Cluster>,
}

/// The verdict, the plugin, the reason, the taint and the place on the side of the pool.
type Told = (u8, Option<At>, Option<At>, Option<At>, Option<At>);

/// The namespace, kind, name and place of a workload.
type Named = (Option<At>, Option<At>, Option<At>, Option<At>);

#[derive(Serialize)]
struct Cluster {
    name: At,
    complete: bool,
    pools: Vec<Pool>,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Pool {
    name: At,
    taints: Vec<At>,
    complete: bool,
    place: Option<At>,
}

#[derive(Serialize)]
struct Row {
    problem: bool,
    workloads: Vec<Named>,
    /// The judgement of each pool.
    cells: Vec<At>,
    /// For each pool the place on the side of the pods, or -1.
    pods: Vec<i64>,
}

impl Document {
    fn of(clusters: &[MatrixCluster]) -> Document {
        let mut tables = Tables::default();
        let clusters = clusters.iter().map(|cluster| tables.cluster(cluster));
        let clusters = clusters.collect();
        Document {
            verdicts: VERDICTS.map(Verdict::words),
            texts: tables.texts.all,
            places: tables.places.all,
            judgements: tables.judgements.all,
            clusters,
        }
    }
}

/// Values with their numbers, in the order in which they were first seen.
struct Table<T> {
    numbers: HashMap<T, At>,
    all: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table {
            numbers: HashMap::new(),
            all: Vec::new(),
        }
    }
}

impl<T: Eq + Hash + Clone> Table<T> {
    fn number(&mut self, value: T) -> At {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.all.len();
        self.all.push(value.clone());
        self.numbers.insert(value, number);
        number
    }
}

#[derive(Default)]
struct Tables {
    texts: Table<String>,
    places: Table<(At, u32, u32)>,
    judgements: Table<Told>,
}

impl Tables {
    /// A text without signs that hide or turn what stands beside them.
    fn text(&mut self, text: &str) -> At {
        let text = escape::shorten(escape::name(text), LONGEST);
        self.texts.number(text.into_owned())
    }

    fn place(&mut self, (file, at): &FilePlace) -> At {
        let file = self.text(file);
        self.places.number((file, at.line, at.column))
    }

    fn cluster(&mut self, cluster: &MatrixCluster) -> Cluster {
        let pools = cluster.pools.iter().map(|pool| Pool {
            name: self.text(&pool.name),
            taints: pool.taints.iter().map(|taint| self.text(taint)).collect(),
            complete: pool.complete,
            place: pool.place.as_ref().map(|place| self.place(place)),
        });
        let pools = pools.collect();
        let rows = cluster.rows.iter();
        Cluster {
            name: self.text(&cluster.name),
            complete: cluster.complete,
            pools,
            rows: rows.map(|row| self.row(cluster, row)).collect(),
        }
    }

    fn row(&mut self, cluster: &MatrixCluster, row: &MatrixRow) -> Row {
        let workloads = row.workloads.iter().map(|one| self.workload(one)).collect();
        let mut cells = Vec::with_capacity(row.cells.len());
        let mut pods = Vec::with_capacity(row.cells.len());
        for (pool, cell) in cluster.pools.iter().zip(&row.cells) {
            let (of_pods, of_pool) = sides(cell, pool.place.as_ref());
            let of_pods = of_pods.map(|place| self.place(place));
            pods.push(of_pods.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1));
            cells.push(self.judgement(cell, of_pool));
        }
        Row {
            problem: row.is_problem(),
            workloads,
            cells,
            pods,
        }
    }

    fn workload(&mut self, workload: &PlacedObject) -> Named {
        let object = &workload.object;
        (
            object.namespace.as_deref().map(|name| self.text(name)),
            Some(object.kind.as_str())
                .filter(|kind| !kind.is_empty())
                .map(|kind| self.text(kind)),
            object.name.as_deref().map(|name| self.text(name)),
            workload.place.as_ref().map(|place| self.place(place)),
        )
    }

    fn judgement(&mut self, cell: &Judgement, of_pool: Option<&FilePlace>) -> At {
        let verdict = VERDICTS.iter().position(|one| *one == cell.verdict);
        let told = (
            verdict
                .and_then(|at| u8::try_from(at).ok())
                .unwrap_or_default(),
            cell.plugin.map(|plugin| self.text(plugin)),
            cell.reason.as_deref().map(|reason| self.text(reason)),
            cell.taint.as_deref().map(|taint| self.text(taint)),
            of_pool.map(|place| self.place(place)),
        );
        self.judgements.number(told)
    }
}

/// The places on the side of the pods and on the side of the pool. Pods have one only where they are the reason.
fn sides<'c>(
    cell: &'c Judgement,
    of_pool: Option<&FilePlace>,
) -> (Option<&'c FilePlace>, Option<&'c FilePlace>) {
    match cell.places.as_slice() {
        [pods, pool, ..] => (Some(pods), Some(pool)),
        [one] => match cell.verdict {
            Verdict::Lands | Verdict::Unknown => (None, Some(one)),
            _ if of_pool == Some(one) => (None, Some(one)),
            _ => (Some(one), None),
        },
        [] => (None, None),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use serde_json::Value;

    use super::*;
    use crate::finding::{Object, PoolColumn};

    const HOSTILE: [&str; 6] = [
        "</script><img src=x onerror=alert(1)>",
        "<!--<script>",
        "\"'`${alert(1)}&lt;",
        "\u{202e}\u{2067}gpj.exe\u{200f}",
        "line\u{2028}break\u{2029}\n\0",
        "@data@",
    ];

    fn place(file: &str) -> FilePlace {
        let at = crate::source::Position {
            line: 3,
            column: 5,
            offset: 40,
        };
        (file.to_owned(), at)
    }

    fn cluster(name: &str) -> MatrixCluster {
        let object = Object {
            api_version: "apps/v1".to_owned(),
            kind: "Deployment".to_owned(),
            namespace: Some(name.to_owned()),
            name: Some(name.to_owned()),
        };
        MatrixCluster {
            name: name.to_owned(),
            complete: false,
            pools: vec![PoolColumn {
                name: name.to_owned(),
                taints: vec![name.to_owned()],
                complete: true,
                place: Some(place(name)),
            }],
            rows: vec![MatrixRow {
                workloads: vec![PlacedObject {
                    object,
                    place: Some(place(name)),
                }],
                cells: vec![Judgement {
                    verdict: Verdict::KeptOut,
                    plugin: Some("TaintToleration"),
                    reason: Some(name.to_owned()),
                    taint: Some(name.to_owned()),
                    places: vec![place("pods.yaml"), place("pools.yaml")],
                }],
            }],
        }
    }

    fn written(clusters: &[MatrixCluster]) -> String {
        let mut page = Vec::new();
        write_matrix_html(clusters, &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    fn data(page: &str) -> &str {
        let (before, after) = PAGE.split_once(DATA).unwrap();
        let data = page.strip_prefix(before).unwrap();
        data.strip_suffix(after).unwrap()
    }

    #[test]
    fn the_page_has_one_place_for_data_and_loads_nothing() {
        assert_eq!(PAGE.matches(DATA).count(), 1);
        assert!(PAGE.contains("default-src 'none'"));
        for loads in [
            "src=",
            "href=\"http",
            "url(",
            "@import",
            "innerHTML",
            "fetch(",
        ] {
            assert!(!PAGE.contains(loads), "{loads}");
        }
    }

    #[test]
    fn hostile_names_do_not_end_the_element_that_holds_them() {
        for name in HOSTILE {
            let page = written(&[cluster(name)]);
            let data = data(&page);
            assert!(!data.contains(['<', '>', '&', '\n']), "{data}");
            let document: Value = serde_json::from_str(data).unwrap();
            let shown = escape::name(name).into_owned();
            let texts = document["texts"].as_array().unwrap();
            assert!(texts.contains(&Value::from(shown)), "{data}");
        }
    }

    #[test]
    fn what_turns_or_breaks_lines_is_spelled_out() {
        let page = written(&HOSTILE.map(cluster));
        assert!(!page.chars().any(|c| c != '\n' && escape::acts(c)));
        assert_eq!(inert("\u{2028}\u{2029}"), "\\u2028\\u2029");
    }

    #[test]
    fn a_very_long_name_is_cut() {
        let page = written(&[cluster(&"long".repeat(100_000))]);
        assert!(page.len() < PAGE.len() + 3000);
    }

    #[test]
    fn a_cell_leads_to_its_reason_and_to_both_places() {
        let page = written(&[cluster("web")]);
        let document: Value = serde_json::from_str(data(&page)).unwrap();
        let row = &document["clusters"][0]["rows"][0];
        let at = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let judgement = &document["judgements"][at(&row["cells"][0])];
        let text = |value: &Value| document["texts"][at(value)].as_str().unwrap().to_owned();
        let file = |value: &Value| text(&document["places"][at(value)][0]);
        assert_eq!(document["verdicts"][at(&judgement[0])], "kept out");
        assert_eq!(text(&judgement[1]), "TaintToleration");
        assert_eq!(text(&judgement[3]), "web");
        assert_eq!(file(&judgement[4]), "pools.yaml");
        assert_eq!(file(&row["pods"][0]), "pods.yaml");
        assert_eq!(row["problem"], true);
    }

    #[test]
    fn a_single_place_is_on_the_side_that_it_belongs_to() {
        let mut cell = cluster("web").rows.remove(0).cells.remove(0);
        cell.places.truncate(1);
        let only = place("pods.yaml");
        assert_eq!(sides(&cell, None), (Some(&only), None));
        assert_eq!(sides(&cell, Some(&only)), (None, Some(&only)));
        cell.verdict = Verdict::Unknown;
        assert_eq!(sides(&cell, None), (None, Some(&only)));
    }
}
