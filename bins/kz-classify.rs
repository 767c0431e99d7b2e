//! `kz-classify`: a stage program; see `kz-classify --help`.

fn main() -> std::process::ExitCode {
    kibitzer::cli::filter::main("classify")
}
