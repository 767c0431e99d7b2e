//! `kz-ladder`: a stage program; see `kz-ladder --help`.

fn main() -> std::process::ExitCode {
    kibitzer::cli::filter::main("ladder")
}
