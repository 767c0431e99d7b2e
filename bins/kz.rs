//! `kz`: the command for people; see `kz --help`.

fn main() -> std::process::ExitCode {
    kibitzer::cli::kz::main()
}
