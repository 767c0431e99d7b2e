//! `kz-normalize`: a stage program; see `kz-normalize --help`.

fn main() -> std::process::ExitCode {
    kibitzer::cli::filter::main("normalize")
}
