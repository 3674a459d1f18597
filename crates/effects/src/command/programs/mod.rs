//! Programs that data can't describe: each function is one program's own grammar.

mod cloud;
mod containers;
mod copying;
pub(super) mod decoding;
mod editors;
mod escapes;
mod fetching;
mod files;
mod find;
mod git;
mod git_config;
mod git_triggers;
mod media;
mod packing;
pub(super) mod printing;
mod project;
mod remote;
mod runners;
mod scripts;
mod sed;
mod several;
mod sqlite;
mod wrappers;

use super::argument::Arg;
use super::knowledge::Entry;
use super::machine::Machine;
use super::simple::Io;
use super::stream::Stream;

/// A command as its own function sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub entry: &'a Entry,
    /// The bare name.
    pub name: &'a str,
    /// All words, the program first.
    pub words: &'a [Arg],
    /// Words after the program (and its subcommands).
    pub rest: &'a [Arg],
}

/// Runs the function called `special`; it records the execution itself.
pub(crate) fn run(
    special: &str,
    machine: &mut Machine<'_>,
    entry: &Entry,
    name: &str,
    words: &[Arg],
    io: &mut Io<'_>,
) -> Stream {
    let inert = entry.inert;
    machine.execute(words, inert, false);
    let call = Call { entry, name, words, rest: words.get(1..).unwrap_or_default() };
    special_program(special, machine, call, io)
}

/// The same for a subcommand, whose execution is recorded already.
pub(crate) fn run_rest(
    special: &str,
    machine: &mut Machine<'_>,
    entry: &Entry,
    words: &[Arg],
    at: usize,
    io: &mut Io<'_>,
) -> Stream {
    let name = words.first().map_or("", |word| word.text.as_str());
    let call = Call { entry, name, words, rest: words.get(at..).unwrap_or_default() };
    special_program(special, machine, call, io)
}

fn special_program(special: &str, machine: &mut Machine<'_>, call: Call<'_>, io: &mut Io<'_>) -> Stream {
    match special {
        "agent" => machine.agent(call),
        "apply-patch" => machine.apply_patch(call, io),
        "ar" => machine.ar(call),
        "at" => machine.at(call, io),
        "attributes" => machine.attributes(call, io),
        "awk" => machine.awk(call, io),
        "build" => machine.build(call, io),
        "bun" => machine.bun(call, io),
        "cat" => machine.cat(call, io),
        "cloud" => machine.cloud(call),
        "cmd" => machine.cmd(call, io),
        "compress" => machine.compress(call, io),
        "copy" => machine.copy(call, io),
        "curl" => machine.curl(call, io),
        "dc" => machine.dc(call, io),
        "debugger" => machine.debugger(call, io),
        "ip" => machine.ip(call, io),
        "traced" => machine.traced(call, io),
        "database" => machine.database(call, io),
        "date" => machine.dated(call, io),
        "dd" => machine.dd(call, io),
        "deno" => machine.deno(call, io),
        "dig" => machine.dig(call),
        "docker" => machine.docker(call, io),
        "echo" => Machine::echo(call),
        "ed" => machine.ed(call, io),
        "env" => machine.env(call, io),
        "fd" => machine.fd(call, io),
        "ffmpeg" => machine.ffmpeg(call),
        "filter" => machine.filter(call, io),
        "find" => machine.find(call, io),
        "flock" => machine.flock(call, io),
        "gh" => machine.gh(call),
        "git" => machine.git(call, io),
        "httpie" => machine.httpie(call),
        "imagemagick" => machine.imagemagick(call),
        "in-place-names" => machine.line_endings(call, io),
        "install" => machine.install(call, io),
        "interpreter" => machine.interpreter(call, io),
        "jar" => machine.jar(call, io),
        "jq" => machine.jq(call, io),
        "kubectl" => machine.kubectl(call, io),
        "less" => machine.less(call, io),
        "link" => machine.link(call),
        "loose-wrapper" => machine.loose_wrapper(call, io),
        "man" => machine.man(call, io),
        "mkdir" => machine.make_directories(call, io),
        "mktemp" => machine.mktemp(call),
        "move" => machine.rename(call, io),
        "nc" => machine.nc(call, io),
        "npx" => machine.npx(call, io),
        "openssl" => machine.openssl(call, io),
        "other-vcs" => machine.other_vcs(call),
        "parallel" => machine.parallel(call, io),
        "patch" => machine.patch(call, io),
        "perl" => machine.perl(call, io),
        "powershell" => machine.powershell(call, io),
        "printf" => Machine::printf(call),
        "rsync" => machine.rsync(call, io),
        "scp" => machine.scp(call, io),
        "script" => machine.script_recorder(call, io),
        "search" => machine.search(call, io),
        "sed" => machine.sed(call, io),
        "seven-zip" => machine.seven_zip(call),
        "shell" => machine.shell(call, io),
        "socat" => machine.socat(call, io),
        "split" => machine.split(call, io),
        "sqlite" => machine.sqlite(call, io),
        "ssh" => machine.ssh(call, io),
        "sudo" => machine.sudo(call, io),
        "tar" => machine.tar(call, io),
        "tee" => machine.tee(call, io),
        "test" => Stream::nothing(),
        "tmux" => machine.tmux(call, io),
        "unzip" => machine.unzip(call, io),
        "vim" => machine.vim(call, io),
        "watch" => machine.watch(call, io),
        "wget" => machine.wget(call, io),
        "which" => Machine::found(call.rest),
        "xargs" => machine.xargs(call, io),
        "zip" => machine.zip(call, io),
        _ => machine.data(call.entry, call.words, 1, io),
    }
}
