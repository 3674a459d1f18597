//! Real archives and streams, and hostile ones.

use std::io::{Cursor, Write};

use ::zip::CompressionMethod;
use ::zip::write::SimpleFileOptions;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{Archive, Output, Packing, Store, Unpacked, peek, run, unpack};
use agent_strace_model::GapKind;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

fn open(bytes: &[u8]) -> Unpacked {
    unpack(Cursor::new(bytes), Packing::of(bytes).unwrap(), &mut |_| {})
}

/// Lines that do not compress to nothing.
fn lines(count: usize) -> Vec<u8> {
    let line = |at: usize| format!("{{\"n\":{at},\"h\":\"{:016x}\"}}\n", at.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (0..count).map(line).collect::<String>().into_bytes()
}

#[test]
fn every_member_and_frame_is_read() {
    let (one, two) = (lines(2_000), lines(50));
    for pack in [gzip, zstd] {
        let both = [pack(&one), pack(&two)].concat();
        let read = open(&both);
        assert!(read.flaws.is_empty(), "{:?}", read.flaws);
        assert_eq!(read.bytes, [one.as_slice(), &two].concat());
        // Padding of a device.
        let padded = [pack(&one), vec![0; 1_000]].concat();
        assert!(open(&padded).flaws.is_empty());
    }
    let skippable = [&b"\x50\x2a\x4d\x18\x04\0\0\0abcd"[..], &zstd(&one)].concat();
    assert_eq!(open(&skippable).bytes, one);
}

#[test]
fn a_cut_stream_is_read_as_far_as_it_goes_and_says_so() {
    let text = lines(12_000);
    for pack in [gzip, zstd] {
        let whole = pack(&text);
        for end in [4, whole.len() / 3, whole.len() / 2, whole.len() - 5, whole.len() - 1] {
            let read = open(&whole[..end]);
            assert_eq!(read.flaws.len(), 1, "{end} of {}: {:?}", whole.len(), read.flaws);
            assert!(text.starts_with(&read.bytes), "{end} of {}", whole.len());
            if end >= whole.len() / 2 {
                assert!(read.bytes.len() > text.len() / 8, "{end} of {}: {}", whole.len(), read.bytes.len());
            }
        }
    }
}

#[test]
fn no_byte_can_be_changed_in_silence() {
    let text = lines(150);
    for pack in [gzip, zstd] {
        let whole = pack(&text);
        for at in (0..whole.len()).step_by(197) {
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            if Packing::of(&changed).is_none() {
                continue;
            }
            let read = open(&changed);
            // The header of a gzip member holds a name and a time that mean nothing.
            assert!(read.bytes == text || !read.flaws.is_empty(), "byte {at} of {}", whole.len());
        }
    }
}

#[test]
fn what_follows_uncompressed_is_read_too() {
    for pack in [gzip, zstd] {
        let read = open(&[pack(b"{}"), b"{\"late\":1}\n".to_vec()].concat());
        assert_eq!(String::from_utf8(read.bytes).unwrap(), "{}\n{\"late\":1}\n");
        let expected = GapKind::unreadable("bytes behind the compressed data: they are read as they are");
        assert_eq!(read.flaws, [expected]);
    }
}

#[test]
fn a_bomb_is_not_unpacked() {
    let zeros = vec![b' '; 3 << 20];
    for pack in [gzip, zstd] {
        let packed = pack(&zeros);
        let room = &mut |_| {};
        let output = Output { large: 1 << 20, ..Output::whole(room) };
        let read = run(packed.as_slice(), Packing::of(&packed).unwrap(), output);
        assert!(read.bytes.len() < zeros.len() / 2, "{}", read.bytes.len());
        assert!(
            matches!(&read.flaws[0], GapKind::LimitReached(text) if text.starts_with("unpacks to more than 400 times")),
            "{:?}",
            read.flaws
        );
    }
    assert_eq!(peek(Cursor::new(gzip(&zeros)), Packing::Gzip, 1_000).len(), 1_000);
}

#[test]
fn windows_and_dictionaries_that_are_not_supported_say_so() {
    // A frame header with a window of 2 GiB, and one with a dictionary.
    for (frame, expected) in [
        (&b"\x28\xb5\x2f\xfd\x00\xa8\x01\0\0"[..], "to unpack: not read"),
        (b"\x28\xb5\x2f\xfd\x01\x58\x07\x01\0\0", "dictionary"),
    ] {
        let read = open(frame);
        assert!(read.flaws[0].to_string().contains(expected), "{:?}", read.flaws);
    }
}

fn archive(bytes: &[u8]) -> Archive {
    Archive::list(Store::memory(bytes.to_vec()), Packing::of(bytes).unwrap_or(Packing::Zip))
}

/// What a user would be told about each member: its text, or what is wrong with it.
fn members(bytes: &[u8]) -> Vec<String> {
    let archive = archive(bytes);
    let told = |at: usize| match archive.read(at, &mut |_| {}) {
        Ok(read) if read.flaws.is_empty() => String::from_utf8_lossy(&read.bytes).into_owned(),
        Ok(read) => read.flaws.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        Err(kind) => kind.to_string(),
    };
    let all = archive.members.iter().enumerate().map(|(at, member)| format!("{}: {}", member.name, told(at)));
    all.chain(archive.flaws.iter().map(|flaw| format!("! {flaw}"))).collect()
}

fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (at, (name, text)) in files.iter().enumerate() {
        let method = if at % 2 == 0 { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn tar(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = ::tar::Builder::new(Vec::new());
    for (name, text) in files {
        let mut header = ::tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        builder.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap()
}

#[test]
fn archives_of_other_programs_are_read() {
    let long = format!("{}/x.jsonl", "deep/".repeat(40));
    let files = [("a.jsonl", "one"), ("b/c.jsonl", "two"), (long.as_str(), "three"), ("empty.json", "")];
    let expected = ["a.jsonl: one", "b/c.jsonl: two", &format!("{}x.jsonl: three", "deep/".repeat(40)), "empty.json: "];
    for bytes in [zip(&files), tar(&files)] {
        assert_eq!(members(&bytes), expected.map(|text| text.replace("//", "/")));
    }
    // Bytes before a zip archive move everything in it.
    assert_eq!(members(&[&b"#!/bin/sh\n"[..], &zip(&files[..2])].concat()), expected[..2]);
    // One tar archive after another.
    assert_eq!(members(&[tar(&files[..1]), tar(&files[1..2])].concat()), expected[..2]);
}

/// An archive with one member, packed by a method that the writer does not know.
fn zip_of(method: u16, name: &str, text: &str, packed: &[u8]) -> Vec<u8> {
    let stored = |bytes: &[u8]| {
        let mut writer = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        writer.start_file(name, options).unwrap();
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap().into_inner()
    };
    let (plain, mut archive) = (stored(text.as_bytes()), stored(packed));
    let listed = |bytes: &[u8]| memchr::memmem::find(bytes, b"PK\x01\x02").unwrap();
    // The checksum and the size of the text, in the header of the member and in the list of members.
    for (at, of_plain) in [(8, 8), (listed(&archive) + 10, listed(&plain) + 10)] {
        archive[at..at + 2].copy_from_slice(&method.to_le_bytes());
        archive[at + 6..at + 10].copy_from_slice(&plain[of_plain + 6..of_plain + 10]);
        archive[at + 14..at + 18].copy_from_slice(&plain[of_plain + 14..of_plain + 18]);
    }
    archive
}

/// Python 3.14 packs members with Zstandard, and evaluations of Inspect AI with them.
#[test]
fn members_packed_with_zstandard_are_read() {
    let text = "{\"samples\": []}\n".repeat(5_000);
    let packed = zstd(text.as_bytes());
    assert!(packed.len() < text.len() / 10);
    let archive = zip_of(93, "summaries.json", &text, &packed);
    assert_eq!(members(&archive), [format!("summaries.json: {text}")]);
    let told = members(&zip_of(93, "summaries.json", &text, &packed[..packed.len() - 9]));
    assert!(told[0].len() < 200, "{}", told[0]);
    let told = members(&zip_of(95, "summaries.json", &text, &packed));
    assert_eq!(told, ["summaries.json: compressed in a way that is not supported: not read"]);
}

#[test]
fn an_archive_that_was_cut_says_so() {
    let files = [("a.jsonl", "one"), ("b.jsonl", &"two".repeat(500))];
    let bytes = zip(&files);
    for end in [bytes.len() - 1, bytes.len() - 30, bytes.len() / 2] {
        let told = members(&bytes[..end]);
        assert!(told.last().unwrap().contains("cut off"), "{told:?}");
    }
    let told = members(&[bytes.as_slice(), b"more"].concat());
    assert!(told.last().unwrap().starts_with("! it does not end where"), "{told:?}");
    let bytes = tar(&files);
    let told = members(&bytes[..bytes.len() - 1_024]);
    assert_eq!(told.last().unwrap(), "! its end mark is missing: it was cut off");
    let told = members(&bytes[..1_024 + 512 + 100]);
    assert_eq!(told[1..], ["b.jsonl: the entry is cut off: the archive says it is longer", told.last().unwrap()]);
    let told = members(&[&bytes[..1_024], &[7; 512], &bytes[1_024..]].concat());
    assert!(told.last().unwrap().starts_with("! damaged, or data behind its entries"), "{told:?}");
}

#[test]
fn names_that_lead_out_links_and_twins() {
    let mut builder = ::tar::Builder::new(Vec::new());
    for (name, kind) in [("link.jsonl", ::tar::EntryType::Symlink), ("hard.jsonl", ::tar::EntryType::Link)] {
        let mut header = ::tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        builder.append_link(&mut header, name, "/etc/passwd").unwrap();
    }
    for name in [&b"../out.jsonl"[..], b"/abs.jsonl", b"in.jsonl", b"in.jsonl"] {
        let mut header = ::tar::Header::new_gnu();
        header.set_size(1);
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_cksum();
        builder.append(&header, &b"x"[..]).unwrap();
    }
    assert_eq!(
        members(&builder.into_inner().unwrap()),
        [
            "link.jsonl: a link: not followed",
            "hard.jsonl: a link: not followed",
            "../out.jsonl: its name leads out of the archive: not read",
            "abs.jsonl: its name leads out of the archive: not read",
            "in.jsonl: x",
            "in.jsonl: x",
        ]
    );
    let mut bytes = zip(&[("aa.jsonl", "one"), ("bb.jsonl", "two"), ("../cc", "three"), ("d\\..\\..\\e", "four")]);
    // Twins: the second is renamed to the first, in both lists.
    while let Some(at) = memchr::memmem::find(&bytes, b"bb.jsonl") {
        bytes[at..at + 2].copy_from_slice(b"aa");
    }
    let outside = "its name leads out of the archive: not read";
    assert_eq!(
        members(&bytes),
        ["aa.jsonl: one", "aa.jsonl: two", &format!("../cc: {outside}"), &format!("d/../../e: {outside}")]
    );
}

/// The offset of the entry in the list at the end of an archive with one entry.
fn entry(bytes: &[u8]) -> usize {
    memchr::memmem::rfind(bytes, b"PK\x01\x02").unwrap()
}

#[test]
fn entries_of_a_zip_archive_that_lie() {
    let good = zip(&[("a.jsonl", "some text that is long enough to be compressed, compressed, compressed")]);
    let at = entry(&good);
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        members(&bytes).join(" | ")
    };
    for (change, expected) in [
        (&(|bytes: &mut Vec<u8>| bytes[at + 8] |= 1) as &dyn Fn(&mut Vec<u8>), "a.jsonl: an encrypted entry: not read"),
        (&|bytes| bytes[at + 10] = 12, "a.jsonl: compressed in a way that is not supported: not read"),
        (&|bytes| bytes[at + 41] = 0o120_000_u32.to_be_bytes()[2], "a.jsonl: a symbolic link: not followed"),
        (&|bytes| bytes[at + 46] = b'b', "b.jsonl: an entry with two different names: not read"),
        (&|bytes| bytes[at + 16] ^= 1, "a.jsonl: the checksum of the entry is wrong: it was damaged or changed"),
        (&|bytes| bytes[at + 24] += 1, "a.jsonl: the entry is cut off: the archive says it is longer"),
        (&|bytes| bytes[at + 24] -= 1, "a.jsonl: the entry is longer than the archive says"),
        (&|bytes| bytes[at + 42] = 9, "a.jsonl: the entry is not where the archive says: it was cut off or damaged"),
        (&|bytes| bytes[40] ^= 0xff, "a.jsonl: the compressed data is"),
    ] {
        let told = changed(change);
        assert!(told.starts_with(expected), "{told}");
    }
    let told = changed(&|bytes| {
        let end = bytes.len();
        bytes[end - 12] = 2;
    });
    assert!(told.contains("! the list of its entries"), "{told}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(100))]
    #[test]
    fn damage_never_panics(at in 0..2_000_usize, byte in proptest::num::u8::ANY, cut in 0..3_000_usize) {
        let text = String::from_utf8(lines(40)).unwrap();
        let files = [("a.jsonl", text.as_str()), ("b/c.json", "{}")];
        for mut bytes in [zip(&files), tar(&files), gzip(text.as_bytes()), zstd(text.as_bytes())] {
            let at = at % bytes.len();
            bytes[at] = byte;
            bytes.truncate(cut.max(1));
            match Packing::of(&bytes) {
                Some(Packing::Zip | Packing::Tar) => drop(members(&bytes)),
                Some(packing) => drop(unpack(Cursor::new(&bytes), packing, &mut |_| {})),
                None => {}
            }
        }
    }
}
