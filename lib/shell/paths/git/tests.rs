use super::super::tests::show_open;

#[test]
fn git_is_read() {
    for (command, expected) in [
        (
            "git add a.c b; git add -A; git add .; git add -n a.c; git add -N b.c",
            "R:/r/a.c R:/r/b L:/r L:/r/a.c L:/r/b.c",
        ),
        ("git commit -am x; git commit -F note -m y; git commit -C HEAD -- k.c", "R:/r/note R:/r/k.c"),
        ("git rm -r old; git rm --cached a.c; git rm -n a.c", "D:/r/old L:/r/a.c L:/r/a.c"),
        (
            "git mv a b; git mv -n a b; git mv a b dir/; git -C s mv a b",
            "D:/r/a W:/r/b L:/r/a L:/r/b D:/r/a D:/r/b W:/r/dir/a W:/r/dir/b D:/r/s/a W:/r/s/b",
        ),
        ("git checkout main", "!changes the worktree"),
        ("git checkout topic/x", "!changes the worktree"),
        ("git checkout v1.2", "!changes the worktree"),
        ("git checkout -", "!changes the worktree"),
        ("git checkout -b new; git checkout -B new HEAD; git checkout HEAD; git checkout", ""),
        ("git checkout -b new origin/main", "!changes the worktree"),
        ("git checkout -tf origin/x", "!changes the worktree"),
        ("git checkout -f", "!changes the worktree"),
        ("git checkout a/b.rs; git checkout HEAD~1 -- k l; git checkout main k", "W:/r/a/b.rs W:/r/k W:/r/l W:/r/k"),
        ("git checkout --theirs Makefile; git checkout -- .; git checkout ./k", "W:/r/Makefile W:/r W:/r/k"),
        ("git checkout -- ':!k' '*.md' :/l", "W:/r/*.md W:?"),
        ("git switch -c new; git switch -c new HEAD", ""),
        ("git switch main", "!changes the worktree"),
        (
            "git restore a; git restore -s HEAD~2 a b; git restore --staged a; git restore -SW a",
            "W:/r/a W:/r/a W:/r/b L:/r/a W:/r/a",
        ),
        ("git restore --pathspec-from-file list", "R:/r/list !changes the worktree"),
        ("git reset; git reset HEAD~1; git reset -- a; git reset --soft HEAD^", ""),
        ("git reset --hard", "!changes the worktree"),
        ("git clean -nfd; git clean -d; git clean -fdx out", "D:/r/out"),
        ("git clean -fdx", "D:/r !deletes files that git does not know"),
        (
            "git stash list; git stash drop; git stash show -p; git stash push -m x -- a; git stash -- b",
            "W:/r/a W:/r/b",
        ),
        ("git stash -u", "!changes the worktree"),
        ("git stash push -m wip", "!changes the worktree"),
        ("git stash pop", "!changes the worktree"),
        ("git merge --quit; git rebase --edit-todo", ""),
        ("git pull --rebase", "!changes the worktree"),
        ("git cherry-pick -x abc", "!changes the worktree"),
        ("git rebase -x 'touch a' main", "W:/r/a !changes the worktree"),
        ("git fetch; git push; git gc --aggressive --prune=now; git status -s; git branch -D x; git tag v1", ""),
        ("git bisect start; git bisect log", ""),
        ("git bisect bad", "!changes the worktree"),
        (
            "git log -- a; git diff HEAD~1 -- a; git show HEAD:a; git log --output=o -p; git diff --no-index a b",
            "W:/r/o R:/r/a R:/r/b",
        ),
        ("git ls-files -o -x y; git shortlog -sne; git cat-file -e HEAD; git rev-parse --show-toplevel", ""),
        ("git grep -n x -- a b; git grep x; git grep -e x HEAD -- a; git grep -l x src", "R:/r/a R:/r/b R:/r/src"),
        ("git blame a.c; git blame HEAD~1 -- a.c; git blame -L1,2 -- b", "R:/r/a.c R:/r/b"),
        (
            "git format-patch -1; git format-patch -1 -o out; git format-patch -1 --stdout",
            "W:/r/[0-9][0-9][0-9][0-9]-*.patch W:/r/out",
        ),
        (
            "git archive -o a.zip HEAD; git archive HEAD; git bundle create b HEAD; git bundle verify b",
            "W:/r/a.zip W:/r/b R:/r/b",
        ),
        ("git clone h:x/y.git; git clone --bare https://h/z; git clone -b m u d", "W:/r/y W:/r/z.git W:/r/d"),
        ("git init; git init s; git worktree add -b k ../w main; git worktree remove ../w", "W:/r/s W:/w D:/w"),
        (
            "git config a.b c; git config --global a.b c; git config --global a.b; git config -f k a.b c",
            "W:/h/.gitconfig W:/r/k",
        ),
        ("git submodule add https://h/lib.git; git submodule status", "W:/r/lib W:/r/.gitmodules"),
        ("git submodule update --init", "!changes the worktree"),
        (
            "git hash-object -w a; git merge-file a b c; git merge-file -p a b c",
            "R:/r/a W:/r/a R:/r/b R:/r/c R:/r/a R:/r/b R:/r/c",
        ),
        ("git apply --check p; git apply --stat p; git apply --cached p", "R:/r/p R:/r/p R:/r/p"),
        ("git apply p", "R:/r/p !the patch names the files"),
        ("git am p", "R:/r/p !changes the worktree"),
        ("git --version; git help add; git", ""),
        ("git nosuch a", "!unknown program"),
        ("ls | xargs git rm -q; ls | xargs git checkout --; ls | xargs git log", "D:? W:?"),
        ("git -c alias.w='!touch a' w", "W:/r/a"),
        ("git --work-tree=s checkout -- a", "W:/r/s/a"),
    ] {
        assert_eq!(show_open(command), expected, "{command}");
    }
}

#[test]
fn a_patch_names_its_files() {
    let patch = "diff --git a/x/k.c b/x/k.c\n--- a/x/k.c\n+++ b/x/k.c\n@@ -1,2 +1,2 @@\n--- a/not\n+++ b/not\n z\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+q\n--- a/old\t2020\n+++ /dev/null\n@@ -1 +0,0 @@\n-q\ndiff --git a/m n/o b/m n/p\nrename from m n/o\nrename to m n/p\ndiff --git a/e b/e\nnew file mode 100644\n";
    for (command, expected) in [
        ("git apply", "W:/r/x/k.c W:/r/new D:/r/old D:/r/m n/o W:/r/m n/p W:/r/e"),
        ("git apply -R -", "W:/r/x/k.c D:/r/new W:/r/old W:/r/m n/o D:/r/m n/p D:/r/e"),
        ("git apply -p2 --directory=s", "W:/r/s/k.c W:/r/s/p"),
        ("git apply --check", ""),
    ] {
        if command.contains("-p2") {
            let short = "--- a/x/k.c\n+++ b/x/k.c\n@@ -1 +1 @@\n-a\n+b\n--- a/x/p\n+++ b/x/p\n";
            assert_eq!(show_open(&format!("{command} <<'E'\n{short}E\n")), expected, "{command}");
        } else {
            assert_eq!(show_open(&format!("{command} <<'E'\n{patch}E\n")), expected, "{command}");
        }
    }
    assert_eq!(show_open("git apply <<'E'\nnothing\nE\n"), "!the patch names the files");
}
