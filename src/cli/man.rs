//! `man`: the manual pages, one for every command, from the types that parse the command line.

use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::Streams;
use super::args::Cli;
use super::failure::Failure;
use super::output;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace man | man -l -                          the page of agent-strace itself
  agent-strace man policy test | man -l -              that of one command
  agent-strace man --output ~/.local/share/man/man1    those of all, for `man agent-strace-check`";

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The command whose page is printed, e.g. `policy test` [default: agent-strace itself].
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,

    /// Write the pages of all commands to this folder.
    #[arg(long, short, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &ManArgs, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let mut root = Cli::command();
    root.build();
    if let Some(folder) = &args.output {
        let count = write_all(&root, folder)?;
        let shown = agent_strace_report::terminal(&folder.to_string_lossy());
        output::print(streams.stdout, &format!("wrote {count} pages to {shown}\n"))?;
        return Ok(0);
    }
    let command = args.command.iter().try_fold(&root, |above, name| below(above, name))?;
    output::print(streams.stdout, &Page::new(command).text()?)?;
    Ok(0)
}

fn below<'a>(above: &'a Command, name: &str) -> Result<&'a Command, Failure> {
    above.find_subcommand(name).ok_or_else(|| {
        let known: Vec<&str> = above.get_subcommands().map(Command::get_name).collect();
        let title = above.get_bin_name().unwrap_or_else(|| above.get_name());
        Failure::new(format!("`{title}` has no command `{name}`"))
            .did_you_mean(name, &known)
            .hint(format!("`{title} --help` lists them"))
    })
}

/// The pages of a command and of all below it; how many there are.
fn write_all(command: &Command, folder: &Path) -> Result<usize, Failure> {
    let page = Page::new(command);
    output::write_with_folder(&folder.join(page.man.get_filename()), &page.text()?)?;
    command.get_subcommands().try_fold(1, |count, below| Ok(count + write_all(below, folder)?))
}

struct Page<'a> {
    command: &'a Command,
    man: Man,
}

impl<'a> Page<'a> {
    fn new(command: &'a Command) -> Self {
        let source = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
        // No date, as it would be that of the build; without quotes the argument would be gone.
        let man = Man::new(command.clone()).date("\"\"").source(source).manual("User Commands");
        Self { command, man }
    }

    fn text(&self) -> Result<String, Failure> {
        let mut page = Vec::new();
        self.render(&mut page).map_err(|error| Failure::new(format!("can't write a manual page: {error}")))?;
        Ok(String::from_utf8_lossy(&page).into_owned())
    }

    /// The sections of the library, but for the one with examples: it would fill their lines.
    fn render(&self, page: &mut Vec<u8>) -> std::io::Result<()> {
        self.man.render_title(page)?;
        self.man.render_name_section(page)?;
        self.man.render_synopsis_section(page)?;
        self.man.render_description_section(page)?;
        self.man.render_options_section(page)?;
        if self.command.has_subcommands() {
            self.man.render_subcommands_section(page)?;
        }
        let mut rest = Roff::new();
        self.after_help(&mut rest);
        if let Some(above) = self.above() {
            rest.control("SH", ["SEE ALSO"]).text([roman(format!("{above}(1)"))]);
        }
        rest.to_writer(page)
    }

    /// What the help says below the options: examples and exit codes in sections of their own, behind the rest.
    fn after_help(&self, page: &mut Roff) {
        let text = self.command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let (mut notes, mut titled) = (Vec::new(), Vec::new());
        for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
            match paragraph.split_once('\n') {
                Some(("Examples:", lines)) => titled.push(("EXAMPLES", lines)),
                Some((first, lines)) if first.starts_with("Exit codes") => titled.push(("EXIT STATUS", lines)),
                _ => notes.push(paragraph),
            }
        }
        if !notes.is_empty() {
            page.control("SH", ["NOTES"]);
        }
        for (at, paragraph) in notes.iter().enumerate() {
            if at > 0 {
                page.control("PP", []);
            }
            lines(page, paragraph);
        }
        for (title, text) in titled {
            page.control("SH", [title]);
            lines(page, text);
        }
    }

    /// The command that this one is below of, as its page is called.
    fn above(&self) -> Option<String> {
        let name = self.command.get_display_name()?;
        Some(name.strip_suffix(self.command.get_name())?.strip_suffix('-')?.to_owned())
    }
}

/// Columns stay as they are; a paragraph without any is filled.
fn lines(page: &mut Roff, text: &str) {
    let columns = text.lines().any(|line| line.starts_with(' '));
    if columns {
        page.control("nf", []);
    }
    for line in text.lines() {
        page.text([roman(line)]);
    }
    if columns {
        page.control("fi", []);
    }
}
