use super::super::tests::show_open;

#[test]
fn tools_are_read() {
    for (command, expected) in [
        ("gcc -Wall -O2 -o k a.c -lm; cc a.c", "W:/r/k R:/r/a.c R:/r/a.c W:/r/a.out"),
        (
            "gcc -c s/a.c b.c; g++ -S a.cc; gcc -E a.c; gcc -MM a.c",
            "R:/r/s/a.c R:/r/b.c W:/r/a.o W:/r/b.o R:/r/a.cc W:/r/a.s R:/r/a.c R:/r/a.c",
        ),
        ("gcc -MMD -c a.c -o o/a.o", "W:/r/o/a.o R:/r/a.c W:/r/o/a.d"),
        ("javac s/A.java; javac -d out A.java", "R:/r/s/A.java W:/r/s/A*.class W:/r/out R:/r/A.java"),
        ("rustc a.rs; rustc -o k a.rs", "R:/r/a.rs W:/r/a W:/r/k R:/r/a.rs"),
        ("python3 -m json.tool a; python3 -m json.tool a b", "R:/r/a R:/r/a W:/r/b"),
        ("python3 -m venv .venv; python -m py_compile a.py; python3 -m http.server 80", "W:/r/.venv R:/r/a.py"),
        (
            "python3 -m zipfile -c z a; python3 -m zipfile -e z d; python3 -m zipfile -l z",
            "W:/r/z R:/r/a R:/r/z W:/r/d R:/r/z",
        ),
        (
            "python3 -m gzip a; python3 -m gzip -d b.gz; python3 -m base64 -e c",
            "R:/r/a W:/r/a.gz R:/r/b.gz W:/r/b R:/r/c",
        ),
        ("python3 -m timeit -s x y", "!runs a module"),
        ("python3 -m black a.py; python3 -m black --check a.py", "W:/r/a.py R:/r/a.py"),
        ("python3 -m pytest --junitxml=o a", "W:/r/o R:/r/a !runs a module"),
        ("python3 -m own.module a", "!runs a module"),
        ("bash s x", "R:/r/s !runs a script"),
        (
            "source v/bin/activate; bash -c 'touch a'; bash <<< 'touch b'; bash -n s",
            "R:/r/v/bin/activate W:/r/a W:/r/b R:/r/s",
        ),
        ("node --check a.js; source .env", "R:/r/a.js R:/r/.env"),
        (". ./set.sh", "R:/r/set.sh !runs a script"),
        ("python3 gen.py a", "R:/r/gen.py !runs a script"),
        (
            "go build ./...; go build -o k ./c; go build a.go; go vet ./...; go mod tidy",
            "W:/r/k W:/r/a W:/r/go.mod W:/r/go.sum",
        ),
        ("go build ./c", "!writes a program if it is one"),
        ("go test ./... -coverprofile=c.out", "W:/r/c.out !runs the project's own code"),
        ("go fmt ./s/...; gofmt -l .; gofmt -w a.go", "W:/r/s R:/r W:/r/a.go"),
        ("cargo fmt", "!formats the project's files"),
        ("cargo fmt --check; cargo fmt -- --check; cargo tree", ""),
        ("cargo add x", "W:/r/Cargo.toml W:/r/Cargo.lock"),
        ("make -f m all", "R:/r/m !runs the project's own commands"),
        ("make -n; make --version; tsc --noEmit; tsc --help; npm run --help", ""),
        ("npm run build", "!runs the project's own commands"),
        ("npm install --dry-run; npm ls; npm view x", ""),
        ("mise run build", "!runs the project's own commands"),
        ("mise ls; bd --version", ""),
        ("prettier -c a; prettier --write a; eslint --fix; eslint a -o r", "R:/r/a W:/r/a W:/r W:/r/r R:/r/a"),
        ("ruff check --fix a; ruff check a; ruff format --diff a", "W:/r/a R:/r/a R:/r/a"),
        ("shfmt -w a; shellcheck a; yamllint a; clang-format -i a", "W:/r/a R:/r/a R:/r/a W:/r/a"),
        (
            "docker cp b:/x y; docker cp y b:/x; aws s3 cp s3://b/k k; aws s3 mv k s3://b/",
            "W:/r/y R:/r/y W:/r/k D:/r/k",
        ),
        ("protoc --go_out=x=y:gen a.proto", "R:/r/a.proto W:/r/gen"),
        ("terraform fmt a; terraform fmt -check a; terraform plan -out=p", "W:/r/a R:/r/a W:/r/p"),
        ("jar tf a.jar; jar cf a.jar b c", "R:/r/a.jar W:/r/a.jar R:/r/b R:/r/c"),
        (
            "tsc --outDir o a.ts; tsc --init; hg log; jj st; helm template x -f v",
            "W:/r/o R:/r/a.ts W:/r/tsconfig.json R:/r/v",
        ),
        ("hg update x", "!changes the worktree"),
        ("pip install -e .", "L:/r !builds the project"),
        ("yarn", "!runs what the packages say"),
        ("pip install -r q; apt-get install -y x; golangci-lint run", "R:/r/q"),
    ] {
        assert_eq!(show_open(command), expected, "{command}");
    }
}
