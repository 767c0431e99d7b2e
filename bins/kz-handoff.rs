//! `kz-handoff`: a stage program; see `kz-handoff --help`.

fn main() -> std::process::ExitCode {
    kibitzer::cli::filter::main("handoff")
}
