//! `kz-guard`: a stage program; see `kz-guard --help`.

fn main() -> std::process::ExitCode {
    kibitzer::cli::filter::main("guard")
}
