//! Recognizes dates and times. They are texts in any case.

/// Whether a text is valid for `!!timestamp`: `2001-1-2`, optionally with a time of day and a zone.
pub(super) fn is_timestamp(text: &str) -> bool {
    let mut rest = Rest(text.as_bytes());
    if !rest.date(1..=2) {
        return false;
    }
    match rest.next() {
        None => true,
        Some(b'T' | b't') => rest.time_of_day(1..=2) && rest.zone() && rest.0.is_empty(),
        Some(b' ') => rest.time_of_day(1..=2) && rest.0.is_empty(),
        _ => false,
    }
}

/// Whether Kubernetes decodes a text into a time: RFC 3339, as Go's `time.Parse` accepts it.
pub fn is_rfc3339(text: &str) -> bool {
    let mut rest = Rest(text.as_bytes());
    rest.date(2..=2)
        && rest.next() == Some(b'T')
        && rest.time_of_day(2..=2)
        && rest.zone()
        && rest.0.is_empty()
}

/// The rest of a text.
struct Rest<'t>(&'t [u8]);

impl Rest<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn takes(&mut self, wanted: u8) -> bool {
        let found = self.0.first() == Some(&wanted);
        if found {
            self.next();
        }
        found
    }

    /// Reads a number with this many digits, as many as possible.
    fn number(&mut self, digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
        let found = self.0.iter().take(*digits.end());
        let count = found.take_while(|byte| byte.is_ascii_digit()).count();
        if count < *digits.start() {
            return None;
        }
        (0..count).try_fold(0, |number, _| {
            Some(number * 10 + u32::from(self.next()? - b'0'))
        })
    }

    fn date(&mut self, short: std::ops::RangeInclusive<usize>) -> bool {
        let year = self.number(4..=4);
        let month = self
            .takes(b'-')
            .then(|| self.number(short.clone()))
            .flatten();
        let day = self.takes(b'-').then(|| self.number(short)).flatten();
        let (Some(year), Some(month), Some(day)) = (year, month, day) else {
            return false;
        };
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + u32::from(leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return false,
        };
        (1..=days).contains(&day)
    }

    /// Reads a time of day. Go accepts hours with one digit everywhere.
    fn time_of_day(&mut self, short: std::ops::RangeInclusive<usize>) -> bool {
        let hour = self.number(1..=2);
        let minute = self
            .takes(b':')
            .then(|| self.number(short.clone()))
            .flatten();
        let second = self.takes(b':').then(|| self.number(short)).flatten();
        if let [b'.' | b',', b'0'..=b'9', ..] = self.0 {
            self.next();
            while self.0.first().is_some_and(u8::is_ascii_digit) {
                self.next();
            }
        }
        let below = |part: Option<u32>, limit| part.is_some_and(|part| part < limit);
        below(hour, 24) && below(minute, 60) && below(second, 60)
    }

    fn zone(&mut self) -> bool {
        if self.takes(b'Z') {
            return true;
        }
        if !self.takes(b'+') && !self.takes(b'-') {
            return false;
        }
        let hours = self.number(2..=2);
        let minutes = self.takes(b':').then(|| self.number(2..=2)).flatten();
        hours.is_some_and(|hours| hours <= 24) && minutes.is_some_and(|minutes| minutes <= 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_that_kubernetes_decodes() {
        for good in [
            "2024-01-01T00:00:00Z",
            "2024-02-29T23:59:59.123456789123Z",
            "2024-01-01T0:00:00Z",
            "2024-01-01T00:00:00,5+01:00",
            "2024-01-01T00:00:00-24:00",
            "0000-01-01T00:00:00Z",
        ] {
            assert!(is_rfc3339(good), "{good}");
        }
        for bad in [
            "",
            "2024-01-01",
            "2024-1-1T00:00:00Z",
            "2023-02-29T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:00",
            "2024-01-01t00:00:00Z",
            "2024-01-01T00:00:00z",
            "2024-01-01 00:00:00Z",
            "2024-01-01T00:00:00+01",
            "now",
            "2024-01-01T00:00:00+25:00",
            "2024-01-01T00:00:00Zx",
        ] {
            assert!(!is_rfc3339(bad), "{bad}");
        }
    }

    #[test]
    fn timestamps_are_those_of_the_tag() {
        for good in [
            "2001-01-01",
            "2001-1-1",
            "2001-12-14t21:59:43.10-05:00",
            "2001-12-14 21:59:43",
            "2001-1-1T1:2:3Z",
        ] {
            assert!(is_timestamp(good), "{good}");
        }
        for bad in [
            "x",
            "2001",
            "01-01-01",
            "2001-13-01",
            "2001-12-14 21:59:43 Z",
            "2001-12-14T21:59:43",
        ] {
            assert!(!is_timestamp(bad), "{bad}");
        }
    }
}
