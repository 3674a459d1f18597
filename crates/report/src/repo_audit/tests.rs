use super::row::{EvidenceRow, LocationRow, ToolRow};
use super::*;
use agent_strace_testing::schemas::{keep, written};

#[test]
fn the_schemas_are_those_of_the_types() {
    keep("audit-tools.v1", &written::<json::Whole<'static>>());
    keep("audit-tools-repository.v1", &written::<Row>());
    keep("audit-tools-summary.v1", &written::<Summary>());
}

/// A repository whose texts are written to be misread.
fn hostile() -> Row {
    let text = "=cmd|' /C calc'!A0 <b>\u{202e}\u{1b}[2J::error ::x ##[group]\n| [x](https://e.com) @me".to_owned();
    let location =
        LocationRow { file: Some(text.clone()), line: Some(3), origin: "head".to_owned(), ..LocationRow::default() };
    let evidence = EvidenceRow {
        signal: "file".to_owned(),
        confidence: "confirmed".to_owned(),
        surface: None,
        text: text.clone(),
        location: location.clone(),
        author: Some(text.clone()),
        count: 1,
    };
    let tool = ToolRow {
        id: "cursor".to_owned(),
        name: "Cursor".to_owned(),
        vendor: "Anysphere".to_owned(),
        generic: false,
        confidence: "confirmed".to_owned(),
        approved: Some(false),
        evidence: vec![evidence],
        evidence_left_out: 0,
    };
    let finding = FindingRow {
        rule: "repo/unapproved-tool".to_owned(),
        level: "error".to_owned(),
        message: text.clone(),
        location,
        fingerprint: "f".to_owned(),
    };
    Row {
        verdict: Verdict::Fail,
        error: None,
        approved: Some(vec![text.clone()]),
        tools: vec![tool],
        findings: vec![finding],
        ..Row::broken(0, &text, &text)
    }
}

fn rendered(format: SweepFormat, rows: &[Row]) -> String {
    let stated = Stated { repositories: rows.len(), ..Stated::default() };
    let mut writer = writer(format, &stated, rows.len() == 1, Colour::Plain, "");
    let mut summary = Summary::new(stated, None);
    let mut text = writer.start();
    for row in rows {
        summary.add(row);
        text.push_str(&writer.row(row));
    }
    text + &writer.end(&summary)
}

#[test]
fn text_of_a_repository_is_harmless_in_every_format() {
    for format in SweepFormat::ALL {
        for rows in [vec![hostile()], vec![hostile(), Row::broken(1, "b", "gone")]] {
            let text = rendered(*format, &rows);
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{format:?}: {text}");
            assert!(!text.contains("##[") && !text.lines().any(|line| line.starts_with("::")), "{format:?}: {text}");
            match format {
                SweepFormat::Markdown => assert!(!text.contains("<b>") && !text.contains("](https"), "{text}"),
                SweepFormat::Csv => assert!(!text.lines().any(|line| line.starts_with('=')), "{text}"),
                SweepFormat::Json | SweepFormat::Sarif => {
                    serde_json::from_str::<serde_json::Value>(&text).unwrap();
                }
                SweepFormat::Ndjson => {
                    for line in text.lines() {
                        read_line(line).unwrap();
                    }
                }
                SweepFormat::Text => {}
            }
        }
    }
}

#[test]
fn a_line_is_read_back_as_it_was_written() {
    let row = hostile();
    let text = rendered(SweepFormat::Ndjson, std::slice::from_ref(&row));
    let lines: Vec<Line> = text.lines().map(|line| read_line(line).unwrap()).collect();
    let [Line::Row(read), Line::Summary(summary)] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!(**read, row);
    assert_eq!((summary.exit_code, summary.findings.error), (1, 1));
    assert!(read_line("{}").is_err() && read_line("{\"schema_version\":2,\"kind\":\"summary\"}").is_err());
}

#[test]
fn findings_are_worse_than_what_is_missing() {
    let row = |verdict| Row { verdict, error: None, ..Row::broken(0, "a", "") };
    let code = |verdicts: &[Verdict]| {
        let mut summary = Summary::new(Stated { repositories: 2, ..Stated::default() }, None);
        for verdict in verdicts {
            summary.add(&row(*verdict));
        }
        summary.exit_code
    };
    assert_eq!(code(&[]), 0);
    assert_eq!(code(&[Verdict::Pass]), 0);
    assert_eq!(code(&[Verdict::Pass, Verdict::Incomplete]), 3);
    assert_eq!(code(&[Verdict::Broken, Verdict::Pass]), 3);
    assert_eq!(code(&[Verdict::Broken, Verdict::Broken]), 2);
    assert_eq!(code(&[Verdict::Broken]), 3, "a shard of a run that has others");
    assert_eq!(code(&[Verdict::Fail, Verdict::Broken, Verdict::Incomplete]), 1);
}
