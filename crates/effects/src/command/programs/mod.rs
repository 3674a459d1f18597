//! Programs that data can't describe: each function is one program's own grammar.

mod agents;
mod application;
mod cloud;
mod columns;
mod compilers;
mod compress;
mod containers;
mod copying;
mod cpio;
mod databases;
pub(super) mod decoding;
mod destination;
mod editors;
mod escapes;
mod expression;
mod fd;
mod fetching;
mod files;
mod filters;
mod find;
mod git;
mod git_config;
mod git_triggers;
mod images;
mod inserted;
mod interpreters;
mod javascript;
mod later;
mod media;
mod mounts;
mod multiplexers;
mod openers;
mod other_vcs;
mod package_config;
mod packing;
mod perl;
pub(super) mod printing;
mod project;
mod python;
mod queries;
mod remote;
mod runners;
mod scripts;
mod searching;
mod sed;
mod sed_script;
mod several;
mod shells;
mod spelled;
mod sql;
mod templates;
mod typed;
mod wrappers;

pub use project::{CalledRecipes, RecipeFiles};
pub(super) use scripts::by_extension;

use super::argument::Arg;
use super::knowledge::{Entry, Special};
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

/// Runs the program's own function, which finds the execution recorded.
pub(crate) fn run(special: Special, machine: &mut Machine<'_>, call: Call<'_>, io: &mut Io<'_>) -> Stream {
    match special {
        Special::Agent => machine.agent(call, io),
        Special::Session => machine.group_session(call, io),
        Special::Setup => machine.hook_setup(call, io),
        Special::PackageSettings => machine.package_settings(call, io),
        Special::ApplyPatch => machine.apply_patch(call, io),
        Special::Ar => machine.ar(call),
        Special::Aria2 => machine.aria2(call, io),
        Special::At => machine.at(call, io),
        Special::Attributes => machine.attributes(call, io),
        Special::Awk => machine.awk(call, io),
        Special::Build => machine.build(call, io),
        Special::Bun => machine.bun(call, io),
        Special::Cat => machine.cat(call, io),
        Special::Chart => machine.chart(call, io),
        Special::Cloud => machine.cloud(call),
        Special::Cmake => machine.cmake(call, io),
        Special::Cmd => machine.cmd(call, io),
        Special::Compress => machine.compress(call, io),
        Special::Compiler => machine.compiler(call, io),
        Special::Copy => machine.copy(call, io),
        Special::Cpio => machine.cpio(call, io),
        Special::Crontab => machine.crontab(call, io),
        Special::Curl => machine.curl(call, io),
        Special::CodeDatabase | Special::Database => machine.database(call, io),
        Special::Date => machine.dated(call, io),
        Special::Dc => machine.dc(call, io),
        Special::Dd => machine.dd(call, io),
        Special::Debugger => machine.debugger(call, io),
        Special::Deno => machine.deno(call, io),
        Special::Dig => machine.dig(call),
        Special::Docker => machine.docker(call, io),
        Special::Echo => Machine::echo(call),
        Special::Ed => machine.ed(call, io),
        Special::Env => machine.env(call, io),
        Special::Fd => machine.fd(call, io),
        Special::CoreDump => machine.core_dump(call, io),
        Special::GoModule => machine.go_module(call, io),
        Special::Graphviz => machine.graphviz(call, io),
        Special::Telnet => machine.telnet(call, io),
        Special::Ffmpeg => machine.ffmpeg(call),
        Special::Filter => machine.filter(call, io),
        Special::Find => machine.find(call, io),
        Special::Flock => machine.flock(call, io),
        Special::Gh => machine.gh(call, io),
        Special::Git => machine.git(call, io),
        Special::Httpie => machine.httpie(call),
        Special::Hyperfine => machine.hyperfine(call, io),
        Special::Imagemagick => machine.imagemagick(call),
        Special::InPlaceNames => machine.line_endings(call, io),
        Special::Install => machine.install(call, io),
        Special::Interpreter => machine.interpreter(call, io),
        Special::Ip => machine.ip(call, io),
        Special::Jar => machine.jar(call, io),
        Special::Jq => machine.jq(call, io),
        Special::Yq => machine.yq(call, io),
        Special::Kubectl => machine.kubectl(call, io),
        Special::Less => machine.less(call, io),
        Special::Link => machine.link(call),
        Special::LooseWrapper => machine.loose_wrapper(call, io),
        Special::Macros => machine.macros(call, io),
        Special::Man => machine.man(call, io),
        Special::Mkdir => machine.make_directories(call, io),
        Special::Mktemp => machine.mktemp(call),
        Special::Move => machine.rename(call, io),
        Special::Nc => machine.nc(call, io),
        Special::Npx => machine.npx(call, io),
        Special::Opener => machine.open(call, io),
        Special::Openssl => machine.openssl(call, io),
        Special::OtherVcs => machine.other_vcs(call, io),
        Special::PackageArchive => machine.package_archive(call, io),
        Special::PackageRun => machine.package_run(call, io),
        Special::PackageConfig => machine.package_config(call, io),
        Special::Parallel => machine.parallel(call, io),
        Special::Patch => machine.patch(call, io),
        Special::Perl => machine.perl(call, io),
        Special::Powershell => machine.powershell(call, io),
        Special::Printf => Machine::printf(call),
        Special::Rpm => machine.rpm(call, io),
        Special::Rsync => machine.rsync(call, io),
        Special::Runuser => machine.runuser(call, io),
        Special::Scp => machine.scp(call, io),
        Special::Script => machine.script_recorder(call, io),
        Special::Search => machine.search(call, io),
        Special::Sed => machine.sed(call, io),
        Special::SevenZip => machine.seven_zip(call, io),
        Special::Shell => machine.shell(call, io),
        Special::Socat => machine.socat(call, io),
        Special::Split => machine.split(call, io),
        Special::Sqlite => machine.sqlite(call, io),
        Special::Ssh => machine.ssh(call, io),
        Special::Sudo => machine.sudo(call, io),
        Special::SystemdRun => machine.systemd_run(call, io),
        Special::Tar => machine.tar(call, io),
        Special::Tee => machine.tee(call, io),
        Special::Test => Stream::nothing(),
        Special::Tmux => machine.tmux(call, io),
        Special::Traced => machine.traced(call, io),
        Special::Unzip => machine.unzip(call, io),
        Special::Vim => machine.vim(call, io),
        Special::Watch => machine.watch(call, io),
        Special::Websocat => machine.websocat(call, io),
        Special::Wget => machine.wget(call, io),
        Special::Which => Machine::found(call.rest),
        Special::Xargs => machine.xargs(call, io),
        Special::Xmllint => machine.xmllint(call, io),
        Special::Zip => machine.zip(call, io),
    }
}
