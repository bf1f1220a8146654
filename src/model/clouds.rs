//! Detects the cloud of a file or object from names: words in paths and kinds, and domains of keys that only one cloud's
//! nodes and controllers use. Pools of one cloud do not serve the workloads of another. The data is in
//! `kubernetes/clouds.yaml`.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::builtin;

/// A cloud, as a row of `kubernetes/clouds.yaml`.
#[derive(Deserialize)]
struct Cloud {
    /// Its name for people.
    name: String,
    /// Words that identify the cloud.
    words: Vec<String>,
    /// Parts of keys and texts that only clusters of this cloud have.
    #[serde(default)]
    domains: Vec<String>,
    #[serde(default)]
    commands: Vec<PoolCommand>,
}

/// A command that creates or changes node pools, with the names of its options.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PoolCommand {
    /// Words of the command, in order. Other words may occur between them.
    pub words: Vec<String>,
    /// Options for the pool's name. Without such an option, the name is the first argument.
    #[serde(default)]
    pub name: Vec<String>,
    /// Options for taints.
    pub taints: Vec<String>,
    /// A second option for taints adds to the first instead of replacing it.
    #[serde(default)]
    pub taints_add: bool,
    /// Options for labels.
    pub labels: Vec<String>,
    /// Labels whose value is the pool's name.
    #[serde(default)]
    pub pool_labels: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    clouds: Vec<Cloud>,
}

static CLOUDS: LazyLock<Vec<Cloud>> = LazyLock::new(|| {
    let file: File = builtin::table(builtin::CLOUDS);
    file.clouds
});

/// Finds a domain of any cloud.
static DOMAINS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let domains = CLOUDS.iter().flat_map(|cloud| &cloud.domains);
    let domains: Vec<String> = domains.map(|domain| regex::escape(domain)).collect();
    Regex::new(&domains.join("|")).ok()
});

/// Returns the commands of all clouds, in the order of the file.
pub fn pool_commands() -> impl Iterator<Item = &'static PoolCommand> {
    CLOUDS.iter().flat_map(|cloud| &cloud.commands)
}

/// A set of clouds; empty if no cloud is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Clouds(u16);

impl Clouds {
    /// Returns the clouds that the words of a path, a kind or an API group name, also in `eks-2` and `AzureMachinePool`.
    pub fn named_by(name: &str) -> Clouds {
        let mut found = Clouds::default();
        let mut start = 0;
        let mut before = '-';
        let ends = name.char_indices().chain([(name.len(), '-')]);
        for (at, one) in ends {
            let ends_word = !one.is_alphabetic();
            if ends_word || (one.is_uppercase() && before.is_lowercase()) {
                found.add_word(name.get(start..at).unwrap_or_default());
                start = at + if ends_word { one.len_utf8() } else { 0 };
            }
            before = one;
        }
        found
    }

    /// Returns the clouds whose keys occur in a text, ignoring comments.
    pub fn spoken_of_in(text: &str) -> Clouds {
        let mut found = Clouds::default();
        // Few files mention a cloud, and looking at each line takes longer than searching the whole text.
        if !DOMAINS
            .as_ref()
            .is_none_or(|domains| domains.is_match(text))
        {
            return found;
        }
        for line in text.lines() {
            let line = line.split_once(" #").map_or(line, |(said, _)| said);
            if !line.trim_start().starts_with('#') && line.contains('.') {
                found = found.with(Clouds::of_key(line));
            }
        }
        found
    }

    /// Returns the clouds that use a key.
    pub fn of_key(key: &str) -> Clouds {
        let mut found = Clouds::default();
        for (at, cloud) in CLOUDS.iter().enumerate() {
            if cloud
                .domains
                .iter()
                .any(|domain| key.contains(domain.as_str()))
            {
                found.0 |= 1 << at;
            }
        }
        found
    }

    /// Returns the name of the cloud, if it is only one.
    pub fn only(self) -> Option<&'static str> {
        let is_in = |at: &usize| self.0 & (1 << at) != 0;
        let mut all = (0..CLOUDS.len()).filter(is_in);
        let first = all.next()?;
        let none_else = all.next().is_none();
        CLOUDS
            .get(first)
            .filter(|_| none_else)
            .map(|cloud| cloud.name.as_str())
    }

    /// Returns the set as a number. It means the same clouds only to the same program.
    pub fn number(self) -> u16 {
        self.0
    }

    /// Returns the set with this number.
    pub fn of_number(number: u16) -> Clouds {
        Clouds(number)
    }

    /// Returns the union of both sets.
    #[must_use]
    pub fn with(self, others: Clouds) -> Clouds {
        Clouds(self.0 | others.0)
    }

    /// Whether something in one set of clouds can be in the other; an empty set can be anywhere.
    pub fn can_be(self, other: Clouds) -> bool {
        self.0 == 0 || other.0 == 0 || self.0 & other.0 != 0
    }

    fn add_word(&mut self, word: &str) {
        let is_it = |known: &str| known.eq_ignore_ascii_case(word);
        for (at, cloud) in CLOUDS.iter().enumerate() {
            if cloud.words.iter().any(|known| is_it(known)) {
                self.0 |= 1 << at;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_clouds_whole_and_in_any_case() {
        let gcp = Clouds::named_by("terraform/gcp/main.tf");
        assert_ne!(gcp, Clouds::default());
        for name in [
            "values-gke.yaml",
            "config/gke2/web.yaml",
            "google_container_node_pool",
        ] {
            assert_eq!(Clouds::named_by(name), gcp, "{name}");
        }
        let azure = Clouds::named_by("AzureManagedMachinePool");
        assert_eq!(azure, Clouds::named_by("terraform/azure/pools.tf"));
        assert!(!azure.can_be(gcp));
        for name in ["apps/weeks/web.yaml", "awsome/web.yaml", "", "tasks"] {
            assert_eq!(Clouds::named_by(name), Clouds::default(), "{name}");
        }
    }

    #[test]
    fn keys_of_one_cloud_name_it_but_not_in_comments() {
        let text = "# cloud.google.com/gke-nodepool: x\nnodeSelector:\n  eks.amazonaws.com/nodegroup: web # kubernetes.azure.com/x\n";
        assert_eq!(Clouds::spoken_of_in(text), Clouds::named_by("aws"));
        assert_eq!(
            Clouds::spoken_of_in("image: gcr.io/google/web\n"),
            Clouds::default()
        );
    }

    #[test]
    fn a_cloud_has_a_name_where_it_is_the_only_one() {
        let aws = Clouds::of_key("eks.amazonaws.com/nodegroup");
        assert_eq!(aws.only(), Some("AWS"));
        assert_eq!(aws.with(Clouds::named_by("gcp")).only(), None);
        assert_eq!(Clouds::default().only(), None);
    }

    #[test]
    fn where_nothing_is_named_anything_can_be() {
        let (none, aws) = (Clouds::default(), Clouds::named_by("aws"));
        assert!(none.can_be(aws) && aws.can_be(none));
        assert!(aws.with(Clouds::named_by("gcp")).can_be(aws));
    }
}
