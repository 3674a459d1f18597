//! `timeline`: a session at a glance, a line for each phase.

use super::measured::{clock, shown, span, times};
use super::replay::ReplayReport;
use super::text::counted;
use super::tree::Glyphs;
use agent_strace_metrics::{Phase, Profile};

/// Cells of the bar.
const CELLS: u64 = 24;
const LABEL: usize = 40;

/// What was done in a phase, by kind.
#[derive(Debug, Clone, Copy, Default)]
pub struct Done {
    pub read: usize,
    pub written: usize,
    pub executed: usize,
    pub connected: usize,
}

/// A session, and what was done in each of its phases.
#[derive(Debug)]
pub struct Timeline {
    pub profile: Profile,
    pub done: Vec<Done>,
}

/// `index`: of the session in `replay`.
pub fn timeline(timeline: &Timeline, replay: &ReplayReport, index: usize, glyphs: Glyphs) -> String {
    let profile = &timeline.profile;
    let time = profile.duration().map_or_else(|| "no times".to_owned(), span);
    let mut lines = vec![
        format!("Session: {} ({time}, {})", shown(&profile.id, 80), counted(profile.events, "event")),
        String::new(),
    ];
    let phases: Vec<(&Phase, &Done)> = profile.phases.iter().zip(&timeline.done).collect();
    for (number, (phase, done)) in (1..).zip(phases) {
        let times = times(profile, phase);
        let start = times.map_or_else(|| "-".to_owned(), |(start, _)| clock(start));
        let failed = if phase.failed { " FAILED" } else { "" };
        let counts =
            [("read", done.read), ("write", done.written), ("execute", done.executed), ("connect", done.connected)];
        let counts: Vec<String> =
            counts.into_iter().filter(|(_, count)| *count > 0).map(|(kind, count)| format!("{kind} {count}")).collect();
        let counts = if counts.is_empty() { "nothing done".to_owned() } else { counts.join(", ") };
        let found = replay.found_in(index, phase.from, phase.to);
        let found = if found.is_empty() { String::new() } else { format!("  ! {found}") };
        lines.push(format!(
            "{start:>7} {} #{}-{} Phase {number}: {}{failed}",
            bar(times, profile.duration(), glyphs),
            phase.from,
            phase.to,
            shown(&phase.label, LABEL),
        ));
        lines.push(format!("{:>33} {counts}{found}", ""));
    }
    lines.join("\n") + "\n"
}

/// Where in the session a phase lies; at least one cell of it.
fn bar(times: Option<(u64, u64)>, whole: Option<u64>, glyphs: Glyphs) -> String {
    let [full, empty] = if glyphs == Glyphs::Ascii { ['#', '.'] } else { ['█', '·'] };
    let cell = |time: u64| whole.filter(|whole| *whole > 0).map_or(0, |whole| time.saturating_mul(CELLS) / whole);
    let range = times.map(|(start, end)| {
        let first = cell(start).min(CELLS - 1);
        (first, cell(end).clamp(first + 1, CELLS))
    });
    let filled = |at: u64| range.is_some_and(|(first, end)| (first..end).contains(&at));
    (0..CELLS).map(|at| if filled(at) { full } else { empty }).collect()
}

#[cfg(test)]
mod tests {
    use super::bar;
    use crate::Glyphs;

    #[test]
    fn a_bar_shows_where_a_phase_lies() {
        let bar = |start, end| bar(Some((start, end)), Some(240), Glyphs::Ascii);
        assert_eq!(bar(0, 120), "############............");
        assert_eq!(bar(120, 240), "............############");
        assert_eq!(bar(240, 240), ".......................#");
        assert_eq!(bar(0, 1), "#.......................");
        assert_eq!(super::bar(None, Some(240), Glyphs::Ascii), "........................");
    }
}
