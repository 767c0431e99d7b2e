//! What the fuzz targets do with their bytes, so that the seeds can be run without a fuzzer.

use std::hint::black_box;

use kibitzer::config::Options;
use kibitzer::shell::{self, parse::parse};
use kibitzer::stage::{Contexts, source::Source};
use kibitzer::wire::framing::Frames;
use kibitzer::world::Memory;

/// Reads bytes as a shell text: tree, parts and paths. What is said of it must lie in it.
pub fn shell_read(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let read = shell::flatten(&text, &parse(&text));
    for part in &read.parts {
        let [start, end] = part.span;
        assert!(text.get(start as usize..end as usize).is_some(), "a span outside the text");
        black_box(shell::touched(part));
    }
}

/// Reads bytes as the calls of a client, one after the other.
pub fn payload(data: &[u8]) {
    let world = Memory::new();
    world.set_env("HOME", "/home/dev");
    world.put_folder("/home/dev/repo/.git");
    let mut contexts = Contexts::new(&world, Options::default());
    let mut source = Source::new(&world, &[]);
    for item in Frames::new(data.to_vec()) {
        black_box(source.envelope(item, &mut contexts));
    }
}
