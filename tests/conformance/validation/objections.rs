//! Kubernetes' objections in the model's terms: `path code`.

use kubetaint::model::validation::ErrorCode;

use crate::case;

/// An objection `field|type|detail` as `path code`. One that is not known stays as it is, and so is a difference.
pub fn named(objection: &str) -> String {
    let mut parts = objection.splitn(3, '|');
    let (Some(path), Some(kind), Some(detail)) = (parts.next(), parts.next(), parts.next()) else {
        return objection.to_owned();
    };
    let (holder, leaf) = path.rsplit_once('.').unwrap_or(("", path));
    let of_field = holder.contains("matchFields");
    let of_selector = of_field || holder.contains("matchExpressions");
    let code = match (leaf, kind) {
        ("nodeSelector", "Invalid value") if is_about_value(detail) => ErrorCode::InvalidValue,
        ("nodeSelector", "Invalid value") => ErrorCode::InvalidKey,
        ("nodeSelectorTerms", "Required value") => ErrorCode::MissingTerms,
        ("nodeName", "Invalid value") => ErrorCode::InvalidNodeName,
        ("weight", "Invalid value") => ErrorCode::WeightOutOfRange,
        ("annotations", "Invalid value") => ErrorCode::MalformedAnnotation,
        ("operator", "Invalid value") if of_selector => ErrorCode::UnknownOperator,
        ("key", "Invalid value") if of_field => ErrorCode::UnknownField,
        ("values", "Required value") => ErrorCode::WrongNumberOfValues,
        ("values", "Forbidden") => ErrorCode::UnwantedValues,
        (_, "Invalid value") if leaf.starts_with("values[") && of_field => {
            ErrorCode::InvalidNodeName
        }
        (_, "Invalid value") if leaf.starts_with("values[") => ErrorCode::InvalidValue,
        (_, "Duplicate value") => ErrorCode::Duplicate,
        _ => {
            let told = case::named(&format!("{leaf}|{kind}|{detail}"));
            return format!("{holder}.{told}");
        }
    };
    format!("{path} {code:?}")
}

/// Whether a detail is one of `IsValidLabelValue`, where keys and values are blamed at the same place.
fn is_about_value(detail: &str) -> bool {
    detail.starts_with("a valid label must be") || detail.starts_with("must be no more than 63")
}
