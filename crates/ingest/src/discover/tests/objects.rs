//! Logs as git objects, and checkpoints in branches and references.

use std::path::Path;

use git2::{FileMode, Oid, Repository, Signature, Time};
use tempfile::TempDir;

use super::archives::{log, read, told};
use crate::discover::{Found, revision};

struct World {
    folder: TempDir,
    repository: Repository,
}

impl World {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let repository = Repository::init_bare(folder.path()).unwrap();
        Self { folder, repository }
    }

    fn tree(&self, files: &[(&str, &str)]) -> Oid {
        let mut update = git2::build::TreeUpdateBuilder::new();
        for (path, text) in files {
            let (mode, path) = match path.strip_prefix('@') {
                Some(path) => (FileMode::Link, path),
                None => (FileMode::Blob, *path),
            };
            update.upsert(path, self.repository.blob(text.as_bytes()).unwrap(), mode);
        }
        let empty = self.repository.treebuilder(None).unwrap().write().unwrap();
        update.create_updated(&self.repository, &self.repository.find_tree(empty).unwrap()).unwrap()
    }

    /// Commits files on top of what the reference names, as its whole content.
    fn commit(&self, reference: &str, message: &str, files: &[(&str, &str)]) -> String {
        let author = Signature::new("a", "a@example.com", &Time::new(1, 0)).unwrap();
        let tree = self.repository.find_tree(self.tree(files)).unwrap();
        let parent = self.repository.find_reference(reference).ok().map(|found| found.peel_to_commit().unwrap());
        let parents: Vec<_> = parent.iter().collect();
        self.repository.commit(Some(reference), &author, &author, message, &tree, &parents).unwrap().to_string()
    }

    fn find(&self, request: &str) -> Result<Found, String> {
        revision::request(request).unwrap().find(self.folder.path()).map_err(|error| error.to_string())
    }

    fn told(&self, request: &str) -> Vec<String> {
        let found = self.find(request).unwrap();
        let mut all = read(&found.sources);
        all.gaps.extend(found.gaps);
        told(&all)
    }
}

fn metadata(session: &str, checkpoint: &str) -> String {
    format!(
        r#"{{"checkpoint_id":"{checkpoint}","session_id":"{session}","strategy":"manual-commit","branch":"main","agent":"X","model":"m-1"}}"#
    )
}

const CALL: &str = r#"{"event_type":"tool_call","event_id":"N","timestamp":3.0,"session_id":"one","data":{"tool_name":"Bash","arguments":{"command":"echo N"}}}"#;

/// A log with so many calls more than the usual one.
fn longer(calls: &[u32]) -> String {
    let more = |call: &u32| CALL.replace('N', &call.to_string()) + "\n";
    log("one") + &calls.iter().map(more).collect::<String>()
}

#[test]
fn a_revision_is_read_like_a_folder() {
    let world = World::new();
    let meta = r#"{"session_id":"stored","started_at":1}"#;
    world.commit(
        "refs/heads/main",
        "one",
        &[
            ("logs/a.jsonl", &log("one")),
            ("logs/notes.md", "# words"),
            ("logs/store/stored/events.ndjson", &log("stored")),
            ("logs/store/stored/meta.json", meta),
            ("logs/lfs.jsonl", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
            ("@logs/link.jsonl", "/etc/passwd"),
            ("other/b.jsonl", &log("two")),
        ],
    );
    world.repository.set_head("refs/heads/main").unwrap();
    let lfs =
        "gap git:main:logs/lfs.jsonl: a pointer of Git LFS: the log itself is not here; `git lfs pull` fetches it";
    assert_eq!(
        world.told("git:main:logs"),
        [
            "git:main:logs/a.jsonl one 1",
            "git:main:logs/store/stored/events.ndjson stored 1",
            "gap git:main:logs/link.jsonl: a symbolic link: not followed",
            lfs,
        ]
    );
    assert_eq!(world.told("git:HEAD:other/b.jsonl"), ["git:HEAD:other/b.jsonl two 1"]);
    assert_eq!(world.told("git:main").len(), 5);
    assert_eq!(
        world.find("git:nowhere").unwrap_err(),
        "`git:nowhere` can't be read: the revision `nowhere` is not in the repository"
    );
    assert!(world.find("git:main:no/such").unwrap_err().contains("has no file `no/such`"));
    assert!(world.find("entire").unwrap_err().contains("no checkpoints"));
}

#[test]
fn a_note_that_nobody_can_read_is_a_gap() {
    let world = World::new();
    world.commit("refs/notes/ai", "note", &[("ab/cdef", "neither note nor log")]);
    assert!(world.told("git:refs/notes/ai")[0].starts_with("gap git:refs/notes/ai:ab/cdef: not a log"));
}

#[test]
fn of_the_copies_of_a_session_the_longest_is_read() {
    let world = World::new();
    let companions = [("content_hash.txt", "sha256:00"), ("prompt.txt", "do it"), ("context.md", "# context")];
    let mut files: Vec<(String, String)> = Vec::new();
    for (checkpoint, text) in
        [("ab/0000000001", log("one")), ("ab/0000000002", longer(&[1])), ("cd/0000000003", longer(&[1, 2]))]
    {
        let id = checkpoint.replace('/', "");
        let list = format!(
            r#"{{"checkpoint_id":"{id}","strategy":"s","sessions":[{{"transcript":"/{checkpoint}/0/full.jsonl"}}]}}"#
        );
        files.push((format!("{checkpoint}/metadata.json"), list));
        files.push((format!("{checkpoint}/0/metadata.json"), metadata("one", &id)));
        files.push((format!("{checkpoint}/0/transcript.jsonl"), longer(&[1, 2])));
        files.extend(companions.map(|(name, text)| (format!("{checkpoint}/0/{name}"), text.to_owned())));
        // The last one came in parts.
        match text.rsplit_once("\n{") {
            Some((first, rest)) if checkpoint.starts_with("cd") => {
                files.push((format!("{checkpoint}/0/full.jsonl"), first.to_owned()));
                files.push((format!("{checkpoint}/0/full.jsonl.001"), format!("{{{rest}")));
            }
            _ => files.push((format!("{checkpoint}/0/full.jsonl"), text)),
        }
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    world.commit("refs/remotes/origin/entire/checkpoints/v1", "checkpoints", &files);
    let code = world.commit("refs/heads/main", "work\n\nEntire-Checkpoint: cd0000000003\n", &[("a", "b")]);
    world.repository.set_head("refs/heads/main").unwrap();
    let path = "git:refs/remotes/origin/entire/checkpoints/v1:cd/0000000003/0/full.jsonl";
    assert_eq!(world.told("entire"), [format!("{path} one 3")]);
    assert_eq!(world.told("entire:cd0000000003"), [format!("{path} one 3")]);
    assert_eq!(world.told("entire:origin/entire/checkpoints/v1").len(), 1);
    assert_eq!(world.told("git:origin/entire/checkpoints/v1:ab").len(), 1);
    let all = read(&world.find("entire").unwrap().sources);
    let reading = all.logs[0].read();
    let attribution = &reading.sessions[0].attribution;
    assert_eq!((&*attribution.models, &*attribution.branches), (&["m-1".into()][..], &["main".into()][..]));
    assert_eq!(attribution.commit.as_deref(), Some(code.as_str()));
    // Commits of a range, and a checkpoint that was never pushed.
    world.commit("refs/heads/topic", "old", &[("a", "b")]);
    world.commit("refs/heads/topic", "new\n\nEntire-Checkpoint: ab0000000001", &[("a", "c")]);
    world.commit("refs/heads/topic", "newer\n\nEntire-Checkpoint: ee0000000009", &[("a", "d")]);
    assert_eq!(
        world.told("entire:topic~2..topic"),
        [
            "git:refs/remotes/origin/entire/checkpoints/v1:ab/0000000001/0/full.jsonl one 1",
            "gap entire:topic~2..topic: the checkpoint `ee0000000009` that a commit names is not there",
        ]
    );
    assert!(world.find("entire:topic~2..topic~2").unwrap().sources.is_empty());
    assert!(world.find("entire:nowhere..topic").is_err());
}

#[test]
fn a_longer_copy_hides_no_call_of_an_earlier_one() {
    let world = World::new();
    world.commit(
        "refs/heads/entire/checkpoints/v1",
        "checkpoints",
        &[
            ("ab/0000000001/0/metadata.json", &metadata("one", "ab0000000001")),
            ("ab/0000000001/0/full.jsonl", &longer(&[7])),
            ("ab/0000000002/0/metadata.json", &metadata("one", "ab0000000002")),
            ("ab/0000000002/0/full.jsonl", &longer(&[1, 2, 3])),
            // The same calls as in the longest, in another order.
            ("ab/0000000003/0/metadata.json", &metadata("one", "ab0000000003")),
            ("ab/0000000003/0/full.jsonl", &longer(&[3, 1])),
        ],
    );
    let path = "git:refs/heads/entire/checkpoints/v1:ab";
    assert_eq!(
        world.told("entire"),
        [format!("{path}/0000000001/0/full.jsonl one 2"), format!("{path}/0000000002/0/full.jsonl one 4")]
    );
}

#[test]
fn the_second_layout_and_references_of_their_own_are_one_set() {
    let world = World::new();
    let meta = metadata("one", "ab0000000001");
    world.commit(
        "refs/entire/checkpoints/v2/main",
        "metadata",
        &[
            ("ab/0000000001/0/metadata.json", &meta),
            ("ab/0000000001/0/transcript.jsonl", "{\"v\":1,\"type\":\"user\"}\n"),
        ],
    );
    world.commit(
        "refs/entire/checkpoints/v2/full/current",
        "transcripts",
        &[("ab/0000000001/0/raw_transcript", &longer(&[1])), ("generation.json", "{\"generation\":1}")],
    );
    world.commit(
        "refs/entire/checkpoints/cd/0000000002",
        "own",
        &[("0/metadata.json", &metadata("one", "cd0000000002")), ("0/full.jsonl", &longer(&[1, 2]))],
    );
    assert_eq!(world.told("entire"), ["git:refs/entire/checkpoints/cd/0000000002:0/full.jsonl one 3"]);
    assert_eq!(
        world.told("entire:ab0000000001"),
        ["git:refs/entire/checkpoints/v2/full/current:ab/0000000001/0/raw_transcript one 2"]
    );
}

#[test]
fn a_transcript_that_a_checkpoint_lists_and_lacks_is_a_gap() {
    let world = World::new();
    let list = r#"{"checkpoint_id":"ab0000000001","sessions":[{"metadata":"/ab/0000000001/0/metadata.json"},{"metadata":"/ab/0000000001/1/metadata.json"}]}"#;
    world.commit(
        "refs/heads/entire/checkpoints/v1",
        "checkpoints",
        &[
            ("ab/0000000001/metadata.json", list),
            ("ab/0000000001/0/metadata.json", &metadata("one", "ab0000000001")),
            ("ab/0000000001/0/full.jsonl", &log("one")),
            ("ab/0000000001/0/full.jsonl.002", ""),
            ("ab/0000000001/1/prompt.txt", "gone"),
        ],
    );
    let path = "git:refs/heads/entire/checkpoints/v1:ab/0000000001";
    assert_eq!(
        world.told("entire"),
        [
            format!("{path}/0/full.jsonl one 1"),
            format!("gap {path}/metadata.json: the checkpoint lists a session whose transcript is not there"),
            format!("gap {path}/0/full.jsonl: part 1 of it is missing"),
        ]
    );
}

/// Names of references are made up by whoever pushes.
#[test]
fn which_arguments_name_objects() {
    assert!(revision::request("gitlog").is_none());
    assert!(revision::request("entire-log.jsonl").is_none());
    assert!(revision::request("./entire").is_none());
    assert!(revision::request("git:HEAD").is_some());
    assert!(Path::new("git:HEAD").components().count() == 1);
}
