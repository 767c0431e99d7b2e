//! What texts of recipes run.

use super::*;

fn asked(words: &str) -> Asked {
    let mut asked = Asked::default();
    for word in words.split_whitespace() {
        match word.split_once('=') {
            Some((name, value)) => asked.sets.push((name.to_owned(), value.to_owned())),
            None if word == "?" => asked.any = true,
            None => asked.goals.push(word.to_owned()),
        }
    }
    asked
}

fn texts(steps: &[Step]) -> Vec<String> {
    steps
        .iter()
        .map(|step| match &step.by {
            Some(by) => format!("{by}: {}", step.text.text),
            None => step.text.text.to_string(),
        })
        .collect()
}

#[test]
fn makefiles() {
    for (text, words, expected) in [
        ("all:\n\ta\n\t@-b x\n", "", &["a", "b x"][..]),
        ("all: one two\n\tlast\none:\n\ta\ntwo: one\n\tb\nclean:\n\tc\n", "", &["a", "b", "last"]),
        ("all:\n\ta\nclean:\n\trm -rf $(OUT)\nOUT := build\n", "clean", &["rm -rf build"]),
        ("OUT = $(B)/x\nB = build\nclean:\n\trm -rf $(OUT)\n", "clean", &["rm -rf build/x"]),
        ("OUT = a\nclean:\n\trm $(OUT)\n", "clean OUT=b", &["rm b"]),
        ("OUT ?= a\nclean:\n\trm $(OUT)\n", "clean", &["rm «var»"]),
        ("A = a\nA += b\nx:\n\techo $A $(A) $$HOME $(NOT)\n", "", &["echo a b a b $HOME «var»"]),
        ("x: ; a ; b\n", "", &["a ; b"]),
        ("x:\n\ta \\\n\tb\n", "", &["a \\\nb"]),
        ("V := $(shell ls x)\nx:\n\techo $(V)\n", "", &["ls x", "echo «var»"]),
        ("V != date\nx:\n\ta\n", "", &["date", "a"]),
        ("x:\n\t$(RM) a; $(MAKE) b\n", "", &["rm -f a; make b"]),
        ("%.o: %.c\n\tcc -c $< -o $@\nx: a.o\n\tld $^\n", "", &["cc -c «var» -o a.o", "ld a.o"]),
        ("x: b\n\tuse $@ $< $^\nb: ;\n", "", &["use x b b"]),
        (".ONESHELL:\nx:\n\tcd a\n\trm b\n", "x", &["cd a\nrm b"]),
        ("define D\na\nb\nendef\nx:\n\t$(D)\n", "", &["a", "b"]),
        ("ifeq ($(A),1)\nB = x\nelse\nB = y\nendif\nz:\n\trm $(B)\n", "", &["rm «var»"]),
        (".DEFAULT_GOAL := y\nx:\n\ta\ny:\n\tb\n", "", &["b"]),
        (".RECIPEPREFIX = >\nx:\n> a\n", "", &["a"]),
        ("# x:\nx: # y\n\ta # b\n\t# c\n", "", &["a # b", "# c"]),
        ("x: A = 1\nx:\n\techo $(A)\n", "", &["echo «var»"]),
        ("x:\n\ta\ny:\n\tb\n", "?", &["a", "b"]),
        ("x: x\n\ta\n", "", &["a"]),
        ("A = $(A)\nx:\n\techo $(A)\n", "", &["echo «var»"]),
        ("$(", "", &[]),
        ("x:\n\t$", "", &[]),
    ] {
        assert_eq!(texts(&make(&Arg::literal(text), &asked(words))), expected, "{text}");
    }
}

#[test]
fn justfiles() {
    for (text, words, expected) in [
        ("a:\n  x\n  @y\n\nb:\n  z\n", "", &["x", "y"][..]),
        ("a:\n  x\nb: a\n  z\n", "b", &["z", "x"]),
        ("out := 'build'\nclean:\n  rm -rf {{out}} {{ other }}\n", "clean", &["rm -rf build «var»"]),
        ("a x y='d':\n  echo {{x}} {{y}}\n", "a 1", &["echo 1 d"]),
        ("a *rest:\n  echo {{rest}}\n", "a 1 2", &["echo 1 2"]),
        ("alias b := a\na:\n  x\n", "b", &["x"]),
        ("v := `date`\na:\n  echo {{v}}\n", "", &["date", "echo «var»"]),
        ("a:\n  #!/usr/bin/env python3\n  print(1)\n", "", &["python3: #!/usr/bin/env python3\nprint(1)"]),
        ("a:\n  #!/bin/bash\n  cd x\n  rm y\n", "", &["#!/bin/bash\ncd x\nrm y"]),
        ("a:\n  x \\\n    y\n", "", &["x \\\n  y"]),
        ("a:\n  echo {{{{x}}\n", "", &["echo {{x}}"]),
        ("set shell := ['bash', '-c']\n[private]\na:\n  x\n", "", &["x"]),
        ("a: a\n  x\n", "", &["x"]),
    ] {
        assert_eq!(texts(&just(&Arg::literal(text), &asked(words))), expected, "{text}");
    }
}

#[test]
fn values_that_grow_without_end_are_given_up() {
    let text = "A = $(A)$(A)$(A)$(A)$(A)$(A)\nx:\n\ta $(A)\n\tb $(A)\n";
    let steps = make(&Arg::literal(text), &asked(""));
    assert!(steps.len() == 2 && steps.iter().all(|step| step.text.text.len() <= 2 * LONGEST));
}
