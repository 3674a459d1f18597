//! Divides the lines that `for /f` reads: `"tokens=1,3* delims=,;"`.

/// The way in which `for /f` divides a line into the values of its variables.
#[derive(Debug)]
pub(super) struct Fields {
    delimiters: String,
    /// The places of the fields that are values, in their order; the first field is at 1.
    places: Vec<usize>,
    /// One more value is what the line holds behind the last of these fields.
    has_rest: bool,
    /// Lines at the start that are passed over.
    skipped: usize,
}

impl Fields {
    /// The most values that a line is divided into.
    pub(super) const MOST: usize = 31;

    /// Reads the options. Returns `None` where one is not understood.
    pub(super) fn read(options: &str) -> Option<Self> {
        let options = options.replace('^', "");
        let mut fields = Self { delimiters: " \t".to_owned(), places: vec![1], has_rest: false, skipped: 0 };
        let mut left = options.trim_matches('"').trim_start();
        while !left.is_empty() {
            let end = left.find(char::is_whitespace).unwrap_or(left.len());
            let (option, behind) = left.split_at_checked(end)?;
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            match name.to_ascii_lowercase().as_str() {
                // A line that starts with the character of `eol` is passed over. It is divided here all the same.
                "usebackq" | "eol" => {}
                "tokens" => (fields.places, fields.has_rest) = places(value)?,
                // A space belongs to the delimiters only where nothing follows it.
                "delims" if behind.trim().is_empty() => fields.delimiters = format!("{value}{behind}"),
                "delims" => value.clone_into(&mut fields.delimiters),
                "skip" => fields.skipped = value.parse().ok()?,
                _ => return None,
            }
            left = behind.trim_start();
        }
        Some(fields)
    }

    /// The number of values of a line.
    pub(super) fn count(&self) -> usize {
        self.places.len() + usize::from(self.has_rest)
    }

    /// Returns whether each line has one value and that value is the name of a file, as `dir` prints it.
    pub(super) fn keep_names(&self) -> bool {
        let is_first = if self.has_rest { self.places.is_empty() } else { self.places == [1] };
        is_first && self.skipped == 0 && self.delimiters.chars().all(char::is_whitespace)
    }

    pub(super) fn of_lines(&self, text: &str) -> Vec<Vec<String>> {
        let values = text.lines().skip(self.skipped).map(|line| self.of_line(line));
        values.filter(|values| values.iter().any(|value| !value.is_empty())).collect()
    }

    fn of_line(&self, line: &str) -> Vec<String> {
        let is_delimiter = |c: char| self.delimiters.contains(c);
        let mut left = line.trim_start_matches(is_delimiter);
        let mut values = Vec::new();
        for place in 1..=self.places.last().copied().unwrap_or(0) {
            let end = left.find(is_delimiter).unwrap_or(left.len());
            let (field, behind) = left.split_at_checked(end).unwrap_or((left, ""));
            if self.places.contains(&place) {
                values.push(field.trim().to_owned());
            }
            left = behind.trim_start_matches(is_delimiter);
        }
        if self.has_rest {
            values.push(left.trim().to_owned());
        }
        values
    }
}

/// Reads a list of places: `2`, `1,3`, `1-3`, `2*`. Returns `None` for anything else, and for a place that is too far away.
fn places(list: &str) -> Option<(Vec<usize>, bool)> {
    let (list, has_rest) = list.strip_suffix('*').map_or((list, false), |list| (list, true));
    let mut places = Vec::new();
    for part in list.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last > Fields::MOST {
            return None;
        }
        places.extend(first..=last);
    }
    places.sort_unstable();
    places.dedup();
    Some((places, has_rest))
}

#[cfg(test)]
mod tests {
    use super::Fields;

    #[test]
    fn lines_are_divided_as_the_options_say() {
        let divided = |options: &str, text: &str| Fields::read(options).unwrap().of_lines(text);
        assert_eq!(divided("", "a b\n\n c"), [["a"], ["c"]]);
        assert_eq!(divided("\"tokens=2 delims==\"", "a=.env"), [[".env"]]);
        assert_eq!(divided("\"delims= tokens=1\"", "a b"), [["a b"]]);
        assert_eq!(divided("\"tokens=1,3* delims=,\"", "a,b,c,d,e"), [["a", "c", "d,e"]]);
        assert_eq!(divided("\"tokens=*\"", " a b"), [["a b"]]);
        assert_eq!(divided("\"skip=1 tokens=1-2\"", "x\na b c"), [["a", "b"]]);
        assert!(Fields::read("\"tokens=99\"").is_none());
        assert!(Fields::read("\"other=1\"").is_none());
    }
}
