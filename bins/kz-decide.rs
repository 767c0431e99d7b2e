//! `kz-decide`: a stage program; see `kz-decide --help`.

fn main() -> std::process::ExitCode {
    kibitzer::cli::filter::main("decide")
}
