//! Templates: texts that a shell reads, here-documents, and programs that start programs.

use super::Template;

/// What each letter behind `§` stands for is said at [`super::Maker::fill`].
pub const TEXTS: &[Template] = &[
    ("bash-c", true, "bash -c '§S \"$0\" \"$1\" $# \"$@\"' §q §q §q"),
    ("bash-c", true, "x=§q; bash -c \"§S '$x' \\\"\\$1\\\"\" n §w; bash -c '§S \"$x\"'"),
    ("bash-c", true, "bash -ec '§S a; §S b'; bash -xc '§S c' 2>/dev/null; bash -c -- '§S d'; sh -uc '§S e' n o"),
    ("bash-c", false, "bash -c 'cd a; §S x; exit; §S y'; §s"),
    ("bash-c", true, "bash -c \"bash -c '§S \\\"a b\\\"'\"; bash -c 'bash -c \"§S \\\"\\$1\\\" $1\" n \"i j\"' m o"),
    ("bash-c", true, "bash -c 'for a; do §S \"$a\"; done' n §q §q; bash -c 'shift; §S \"$@\"' n p q"),
    ("bash-c", true, "sh -c '§S a' && bash --norc -c '§S b'; bash -o pipefail -c '§S c'; env bash -c '§S d $0' e"),
    ("bash-c", true, "c='§S q'; bash -c \"$c\" ; sh -c \"$c x\"; bash -c \"$(echo §S z)\""),
    ("bash-s", true, "echo '§S \"$1\" \"$@\"' | bash -s -- §q §q; bash -s p <<<'§S $1'"),
    ("bash-s", true, "bash -s x y <<'E'\n§S \"$1\" $2\nE\nsh <<E\n§S b \\$0\nE\n"),
    ("bash-s", true, "x=§n; bash <<E\n§S $x \\$x '$x'\nx=in\n§S \\$x\nE\n§S $x"),
    ("bash-s", true, "cat <<'E' | bash\n§S a\nfor i in 1 2; do §S $i; done\nE\nbash < <(echo §S b)"),
    ("bash-s", true, "printf '%s\\n' '§S a' '§S b' | sh; echo §S c | bash -; printf '§S %s\\n' x y | bash"),
    ("here-document", true, "§S <<E\n$x\nE\ncat <<-'E' | §S a\n\t$x\n\tE\n§S b"),
    ("here-document", true, "§S <<A <<'B' x\na\nA\nb\nB\n§S <<\"E F\" y\nz\nE F\n§S $(cat <<E\nin $((1+1))\nE\n)"),
    (
        "here-document",
        true,
        "x=§q; y=$(cat <<E\n$x \"q\" \\$x\\\\\nE\n); §S \"$y\"; z=$(cat <<'E'\n$x \\$\nE\n); §S \"$z\"",
    ),
    ("here-document", true, "for i in 1 2; do §S $i <<E\n$i $(§s)\nE\ndone; §S end"),
    ("here-document", true, "§S \"$(cat <<E\na 'b\nE\n)\" \"$(cat <<-E\n\tx\n\ty\n\tE\n)\" end"),
    (
        "here-document",
        true,
        "read -r x <<E\na b\nE\n§S \"$x\"; read -r x y <<<\"p  q\"; §S $y; cat <<<a | §S; { read a; read b; } <<E\n1\n2\nE\n§S $a $b",
    ),
    ("xargs", true, "echo §q §q | xargs §S a"),
    ("xargs", true, "echo a b c d | xargs -n 2 §S x; echo a b | xargs -n1 §S; echo 'a b' | xargs -I{} §S x{}y {}"),
    (
        "xargs",
        true,
        "printf 'a b\\nc\\n' | xargs -I % §S -% z; printf 'a b\\0c\\0' | xargs -0 §S; printf '%s\\n' a b | xargs -d '\\n' §S",
    ),
    (
        "xargs",
        true,
        "printf 'a b\\nc d\\n' | xargs -L 1 §S; printf 'a b\\nc\\n' | xargs -L1 §S y; echo \"a 'b c' d\\\\ e\" | xargs §S",
    ),
    (
        "xargs",
        true,
        "echo a b | xargs -t -r §S; echo a | xargs -- §S -n; xargs §S x </dev/null; xargs -r §S y </dev/null",
    ),
    ("xargs", true, "echo a b | xargs sh -c '§S \"$@\" $0'; echo a | xargs -I{} bash -c '§S {} \"$1\"' n {}"),
    ("xargs", true, "xargs -n1 §S <<<'a b'; xargs §S <<E\nx y\nz\nE\nxargs -a /dev/null §S; echo a,b | xargs -d, §S"),
    ("xargs", true, "find a -type d | xargs §S; find a -print0 | xargs -0 -n1 §S; echo a | xargs env x=1 §S b"),
    (
        "xargs",
        true,
        "echo 1 2 3 | xargs -n2 -P1 §S z; seq 2 | xargs §S; echo a b | xargs -n1 -I{} §S {} ; echo x | xargs -i §S {}",
    ),
    ("find", true, "find a -type d -exec §S x {} \\;; find a -exec §S {} y {} +; find . -maxdepth 0 -exec §S {} ';'"),
    ("find", true, "find a -name b -exec sh -c '§S \"$1\" $0' n {} \\; ; find a e -prune -exec §S -- {} +"),
    (
        "find",
        true,
        "find a -execdir my-tool x {} \\;; find a \\( -name b -o -name z \\) -exec §S '{}' \\; -exec §S two \\;",
    ),
    (
        "find",
        true,
        "x=a; find $x -exec §S \"$x\" {} \\;; find a -name none -exec §S {} +; find a -okdir §S {} \\; </dev/null",
    ),
    (
        "env",
        true,
        "env -S '§S a \"b c\"' d; env -S'x=1 §S e'; env x=§q §S f; env -i PATH=\"$PATH\" REFEREE=\"$REFEREE\" §S g",
    ),
    (
        "env",
        true,
        "env -u x -C a §S h; env -- §S i; env x=1 y=2 bash -c '§S $x $y'; env --chdir=e §S j; env - PATH=\"$PATH\" REFEREE=\"$REFEREE\" §S k",
    ),
    ("env", true, "env -vS '§S ${HOME} \\_x' 2>/dev/null; env -S \"§S 'a  b' c\\_d\"; env \"x=$HOME\" §S; env §S a=b"),
    (
        "wrappers",
        true,
        "nice -n5 §S a; nice -5 §S b; nohup §S c >/dev/null; timeout -s KILL 5 §S d; timeout --preserve-status 5 §S e; setsid -w §S f",
    ),
    ("wrappers", true, "stdbuf -o L -eL §S a; nice nohup env x=1 timeout 3 §S §w; (exec §S c)"),
    (
        "wrappers",
        true,
        "(exec §S a); (exec -c env PATH=\"$PATH\" REFEREE=\"$REFEREE\" §S b); bash -c 'exec §S \"$@\"' n §q",
    ),
    ("source", true, "echo '§S \"$1\" $x; y=2' > s.sh; x=1; . ./s.sh p; §S $y; bash s.sh q; source ./s.sh"),
    ("source", true, "cat > s.sh <<'E'\n§S \"$@\"\ncd a\nE\nbash s.sh §q; §S out; . ./s.sh; §S in"),
    ("source", true, "printf '#!/bin/bash\\n§S $1\\n' >s.sh; sh s.sh a; source <(echo §S b); . /dev/stdin <<<'§S c'"),
];
