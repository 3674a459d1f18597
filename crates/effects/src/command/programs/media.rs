//! Converters of media, where what is written is the operand that is left over.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

impl Machine<'_> {
    /// `dot -O -Tpng a.dot` writes `a.dot.png`.
    pub(super) fn graphviz(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        if arguments.has(&["-O"]) {
            let formats: Vec<&str> = arguments.values(&["-T"]).map(|format| format.text.as_str()).collect();
            for file in &arguments.operands {
                for format in if formats.is_empty() { &["dot"][..] } else { &formats } {
                    self.path(Role::Write, &file.with(format!("{}.{format}", file.text)));
                }
            }
        }
        self.given(call.entry, call.words, &arguments, io)
    }

    /// `ffmpeg -i IN … OUT`: nearly every option takes a value, and what is no option is an output.
    pub(super) fn ffmpeg(&mut self, call: Call<'_>) -> Stream {
        let mut left = call.rest.iter();
        while let Some(word) = left.next() {
            let Some(option) = word.text.strip_prefix('-').filter(|option| !option.is_empty()) else {
                self.output(word);
                continue;
            };
            let name = option.split(':').next().unwrap_or(option);
            if is_flag(name) {
                continue;
            }
            let Some(value) = left.next() else { break };
            match name {
                "i" => self.input(value),
                "passlogfile" | "progress" | "vstats_file" | "report_file" => self.output(value),
                "attach" | "filter_script" | "filter_complex_script" | "fpre" | "vpre" | "apre" => {
                    self.path(Role::Read, value);
                }
                // Filters name files of their own (`movie=`, `subtitles=`).
                "vf" | "af" | "filter" | "filter_complex" | "lavfi"
                    if value.text.contains('=') && names_file(value) =>
                {
                    self.opaque(About::Anything, Reason::FilterFiles, &[]);
                }
                _ => {}
            }
        }
        Stream::Unknown
    }

    /// `convert IN… OPTIONS OUT`; `mogrify` writes what it reads.
    pub(super) fn imagemagick(&mut self, call: Call<'_>) -> Stream {
        let sub = call.rest.first().and_then(Arg::literal).unwrap_or_default();
        let (name, rest) = match call.name {
            "magick" | "gm" if SUBCOMMANDS.contains(&sub) => (sub, call.rest.get(1..).unwrap_or_default()),
            name => (name, call.rest),
        };
        let mut files: Vec<&Arg> = Vec::new();
        let mut left = rest.iter();
        while let Some(word) = left.next() {
            match word.text.strip_prefix(['-', '+']) {
                Some(option) if takes_value(option) && word.text.starts_with('-') => {
                    left.next();
                }
                Some("annotate" | "draw") => {
                    left.next();
                }
                Some(_) if word.text.len() > 1 => {}
                _ if matches!(word.text.as_str(), "(" | ")") => {}
                _ => files.push(word),
            }
        }
        let writes_last = !matches!(name, "mogrify" | "identify" | "display" | "animate" | "import");
        if let Some(output) = files.pop_if(|_| writes_last) {
            for file in files {
                self.input(file);
            }
            self.output(output);
        } else {
            for file in files {
                match name {
                    "mogrify" => self.path(Role::Edit, file),
                    "import" => self.path(Role::Write, file),
                    _ => self.input(file),
                }
            }
        }
        Stream::Unknown
    }

    /// A file, a URL, or `-`.
    fn input(&mut self, word: &Arg) {
        if word.text.contains("://") {
            self.connect(word);
        } else if let Some(list) = word.text.strip_prefix('@') {
            self.path(Role::Read, &word.with(list));
            self.opaque(About::Reads, Reason::ListedFiles, &[]);
        } else if word.text != "-" {
            self.path(Role::Read, &word.with(bare(&word.text)));
        }
    }

    fn output(&mut self, word: &Arg) {
        if word.text.contains("://") {
            self.connect(word);
        } else if !matches!(word.text.as_str(), "-" | "/dev/null") {
            self.path(Role::Write, &word.with(bare(&word.text)));
        }
    }
}

const SUBCOMMANDS: &[&str] =
    &["convert", "mogrify", "identify", "composite", "montage", "compare", "display", "animate", "import"];

/// `file:x`, `png:x`: the format in front of a name.
fn bare(text: &str) -> &str {
    match text.split_once(':') {
        Some((format, name))
            if !name.is_empty() && format.len() > 1 && format.chars().all(|c| c.is_ascii_alphanumeric()) =>
        {
            name
        }
        _ => text,
    }
}

fn names_file(value: &Arg) -> bool {
    ["movie=", "subtitles=", "ass=", "lut3d=", "file=", "filename=", "textfile=", "fontfile="]
        .iter()
        .any(|name| value.text.contains(name))
}

/// Options of `ffmpeg` without a value.
fn is_flag(name: &str) -> bool {
    matches!(
        name,
        "y" | "n"
            | "hide_banner"
            | "nostdin"
            | "stdin"
            | "vn"
            | "an"
            | "sn"
            | "dn"
            | "shortest"
            | "stats"
            | "nostats"
            | "report"
            | "version"
            | "formats"
            | "codecs"
            | "encoders"
            | "decoders"
            | "filters"
            | "protocols"
            | "L"
            | "h"
            | "help"
            | "re"
            | "copyts"
            | "start_at_zero"
            | "ignore_unknown"
            | "autorotate"
            | "noautorotate"
            | "accurate_seek"
            | "benchmark"
            | "bitexact"
            | "devices"
            | "pix_fmts"
            | "hwaccels"
            | "buildconf"
            | "xerror"
            | "psnr"
            | "dump"
            | "hex"
    )
}

/// Options of `convert` and its like with a value; the others are flags.
fn takes_value(option: &str) -> bool {
    matches!(
        option,
        "resize"
            | "crop"
            | "quality"
            | "geometry"
            | "gravity"
            | "extent"
            | "thumbnail"
            | "scale"
            | "sample"
            | "rotate"
            | "density"
            | "background"
            | "fill"
            | "stroke"
            | "strokewidth"
            | "font"
            | "pointsize"
            | "annotate"
            | "draw"
            | "format"
            | "type"
            | "colorspace"
            | "depth"
            | "colors"
            | "blur"
            | "sharpen"
            | "unsharp"
            | "threshold"
            | "level"
            | "modulate"
            | "gamma"
            | "border"
            | "bordercolor"
            | "frame"
            | "shave"
            | "size"
            | "tile"
            | "delay"
            | "loop"
            | "dispose"
            | "fuzz"
            | "transparent"
            | "alpha"
            | "channel"
            | "compose"
            | "composite-args"
            | "define"
            | "interlace"
            | "filter"
            | "compress"
            | "page"
            | "repage-to"
            | "set"
            | "limit"
            | "sampling-factor"
            | "splice"
            | "swirl"
            | "tint"
            | "opaque"
            | "morphology"
            | "evaluate"
            | "fx"
            | "label"
            | "title"
            | "window"
            | "dither"
            | "posterize"
            | "brightness-contrast"
            | "virtual-pixel"
            | "metric"
            | "profile"
            | "units"
            | "undercolor"
            | "kerning"
            | "layers"
            | "distort"
            | "mosaic-args"
            | "path"
    )
}
