//! `kz-run`: the stages of a pipeline in one process; see `kz-run --help`.

fn main() -> std::process::ExitCode {
    kibitzer::cli::run::main()
}
