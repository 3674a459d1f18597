//! Statements for database servers: those that reach for files, hosts and programs beside the database.

/// What such statements hold, in small letters.
const REACHES: &[&str] = &[
    "to program",
    "from program",
    "pg_read_file",
    "pg_read_binary_file",
    "pg_ls_dir",
    "pg_write_file",
    "lo_import",
    "lo_export",
    "load_file",
    "load data",
    "into outfile",
    "into dumpfile",
    "bulk insert",
    "openrowset",
    "xp_cmdshell",
    "sp_oacreate",
    "xp_dirtree",
    "backup database",
    "attach ",
    "load_extension",
    "read_csv",
    "read_parquet",
    "read_json",
    "read_text",
    "read_blob",
    "sniff_csv",
    "file(",
    "url(",
    "s3(",
    "httpfs",
    "utl_http",
    "utl_file",
    "dbms_scheduler",
    "load csv",
    "apoc.load",
    "apoc.import",
    "apoc.export",
    "dblink",
    "put file:",
    "infile",
];

/// Words that such statements begin with.
const VERBS: &[&str] = &[
    "select",
    "copy",
    "insert",
    "attach",
    "load",
    "exec",
    "execute",
    "create",
    "with",
    "call",
    "put",
    "get",
    "import",
    "bulk",
    "backup",
    "install",
    "export",
    "declare",
    "do",
    "alter",
    "set",
    "use",
    "explain",
    "match",
    "from",
    "begin",
    "describe",
    "summarize",
];

/// The quoted texts of statements that reach for more than the database, and words that are URLs.
pub(super) fn reached(text: &str) -> Vec<&str> {
    let first = text.split(|letter: char| !letter.is_ascii_alphabetic()).find(|word| !word.is_empty());
    let is_statement = first.is_some_and(|word| VERBS.iter().any(|verb| word.eq_ignore_ascii_case(verb)));
    if !is_statement {
        return Vec::new();
    }
    let lower = text.to_ascii_lowercase();
    // `COPY t TO 'x'`, and `FROM 'x'` of databases that read files as tables.
    let names_file = ["from '", "to '", "from \"", "copy "].iter().any(|mark| lower.contains(mark));
    if !names_file && !REACHES.iter().any(|mark| lower.contains(mark)) {
        return Vec::new();
    }
    let urls = text.split_whitespace().filter(|word| word.contains("://") && !word.contains(['\'', '"']));
    quoted(text).into_iter().chain(urls).collect()
}

/// The texts in quotes.
fn quoted(text: &str) -> Vec<&str> {
    const MOST: usize = 200;
    let mut found = Vec::new();
    let mut left = text;
    while let Some(at) = left.find(['\'', '"']).filter(|_| found.len() < MOST) {
        let Some((mark, rest)) = left.get(at..at + 1).zip(left.get(at + 1..)) else { break };
        let Some((inner, behind)) = rest.split_once(mark) else { break };
        found.push(inner);
        left = behind;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::reached;

    #[test]
    fn statements_that_reach_for_files_name_them() {
        assert_eq!(reached("COPY t TO PROGRAM 'rm -r a'"), ["rm -r a"]);
        assert_eq!(reached("select pg_read_file('/a')"), ["/a"]);
        assert_eq!(reached("SELECT * FROM 'a.csv'"), ["a.csv"]);
        assert_eq!(reached("PUT file:///a @stage"), ["file:///a"]);
        assert_eq!(reached("select 1 from t where path = '.env'"), [""; 0]);
        assert_eq!(reached("attach the file '.env', please"), [".env"]);
        assert_eq!(reached("please attach '.env'"), [""; 0]);
        assert_eq!(reached("é"), [""; 0]);
    }
}
