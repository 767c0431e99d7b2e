//! Tests of the reader of Python.

use crate::shell::code::Lang;
use crate::shell::code::program::tests::reads;

#[test]
fn texts_say_what_they_touch() {
    let cases = [
        ("print('rm -rf /')", ""),
        ("# open('x', 'w')\n'''open('y', 'w')'''", ""),
        ("open('a.txt', 'w').write('b')", "w a.txt"),
        (
            "p = 'conf.ini'\nwith open(p) as f:\n    t = f.read()\nopen(p, mode='a').write(t.replace('a', 'b'))",
            "r conf.ini; w conf.ini",
        ),
        ("from pathlib import Path as P\nb = P('out') / 'x'\nb.write_text(P('in.md').read_text())", "r in.md; w out/x"),
        ("import os\nos.remove('a'); os.rename('b', 'c')", "d a; d b; w c"),
        ("import shutil as s\ns.copy('a.txt', 'd/'); s.rmtree('e')", "r a.txt; w d/a.txt; d e"),
        ("for n in ['a', 'b']:\n    open(f'{n}.out', 'w')", "w a.out; w b.out"),
        ("for i in range(2): open('f%d' % i, 'w')", "w f0; w f1"),
        ("a, b = 'x', 'y'\nopen('{}-{}'.format(a, b), 'x')", "w x-y"),
        ("import sys\nopen(sys.argv[2], 'w')", "w two.txt"),
        ("import sys\nfor p in sys.argv[1:]: open(p)", "r one.txt; r two.txt"),
        ("import glob\nfor p in glob.glob('src/*.py'): open(p, 'w')", "w src/*.py"),
        ("from pathlib import Path\nfor p in Path('d').rglob('*.md'): p.unlink()", "l d; d d/**/*.md"),
        ("import os\nopen(os.path.expanduser('~/x'), 'w')", "w ~/x"),
        ("import os\nos.chdir('sub')\nopen('x', 'w')", "w sub/x"),
        ("import json\njson.dump(json.load(open('a')), open('b', 'w'))", "r a; w b"),
        ("import subprocess\nsubprocess.run(['ls', '-l']); subprocess.run('cat x', shell=True)", "! ls -l; $ cat x"),
        ("import os\nos.system('make all')", "$ make all"),
        ("import subprocess\nsubprocess.run(['make'], cwd='sub')", "! env -C sub make"),
        ("import os\nos.execvp('sh', ['sh', '-c', 'true'])", "! sh -c true"),
        ("import sys\nsys.stdout.write('a')\nprint('x', file=sys.stderr)", ""),
        ("import requests\nrequests.get('https://example.com/a')", "net https://example.com/a"),
        ("exec(\"open('z', 'w')\")", "w z"),
        ("exec(input())", "open runs computed code"),
        ("import mine\nmine.go()", "open imports project code"),
        (
            "def save(name, text):\n    with open(name, 'w') as f:\n        f.write(text)\nsave('one', 1)\nsave('two', 2)",
            "w one; w two",
        ),
        ("def never():\n    open('never', 'w')\nprint(1)", ""),
        ("p = 'a'\nif x:\n    p = 'b'\nopen(p, 'w')", "w a; w b"),
        ("if x:\n    p = 'a'\nelse:\n    p = 'b'\nopen(p, 'w')", "w a; w b"),
        ("import fileinput\nfor l in fileinput.input('a.py', inplace=True): print(l)", "w a.py"),
        ("import sqlite3\nsqlite3.connect('t.db'); sqlite3.connect(':memory:')", "r t.db; w t.db"),
        ("import zipfile\nzipfile.ZipFile('a.zip').extractall('out')", "r a.zip; w out"),
        ("df.to_csv('o.csv'); plt.savefig('p.png')", "w o.csv; w p.png"),
        ("open(name(), 'w')", "w «var»"),
        ("i = 0\nwhile i < 3:\n    open('f' + str(i), 'w')\n    i += 1", "w f«var»"),
        ("import sys\nif len(sys.argv) > 9:\n    sys.exit(1)\nopen('q', 'w')", "w q"),
        ("try:\n    open('a')\nexcept OSError as e:\n    print(e)\nfinally:\n    open('b', 'w')", "r a; w b"),
        ("x = {'k': 'v.txt'}\nopen(x['k'], 'w')", "w v.txt"),
        ("print(3 > 2, 1 >> 0)\nassert a == b, 'c'", ""),
        (
            "rows = [r for r in open('in.csv') if r.strip()]\nprint(sorted(rows, key=lambda r: r[0])[:3], *rows, sep='\\n')",
            "r in.csv",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(reads(Lang::Python, text), wanted, "{text}");
    }
}

#[test]
fn objects_keep_their_fields() {
    let cases = [
        (
            "class Log:\n    def __init__(self, at):\n        self.at = at\n    def put(self, text):\n        with open(self.at, 'a') as f:\n            f.write(text)\nLog('l.txt').put('x')",
            "w l.txt",
        ),
        (
            "class A:\n    ROOT = 'out/'\n    def go(self, n='n'):\n        open(self.ROOT + n, 'w')\na = A()\na.go()\na.go(n='m')",
            "w out/n; w out/m",
        ),
        ("class A:\n    def put(self, p):\n        open(p, 'w')\nclass B(A):\n    pass\nB().put('b.txt')", "w b.txt"),
        // What makes the fields is not seen, or they are lists that grow.
        (
            "@dataclass\nclass J:\n    to: str = 'd.txt'\n    def run(self):\n        open(self.to, 'w')\nJ('e.txt').run()",
            "w «var»",
        ),
        (
            "class A:\n    def __init__(self):\n        self.all = []\n    def add(self, p):\n        self.all.append(p)\n    def end(self):\n        for p in self.all:\n            open(p, 'w')\na = A()\na.add('x')\na.end()",
            "w «var»",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(reads(Lang::Python, text), wanted, "{text}");
    }
}

#[test]
fn arguments_are_told_apart() {
    // Its arguments are `one.txt` and `two.txt`.
    let cases = [
        (
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('src')\np.add_argument('dst')\np.add_argument('--dry', action='store_true')\na = p.parse_args()\nopen(a.src)\nopen(a.dst, 'w')",
            "r one.txt; w two.txt",
        ),
        (
            "from argparse import ArgumentParser\nfrom pathlib import Path\np = ArgumentParser()\np.add_argument('files', nargs='+', type=Path)\np.add_argument('-o', '--out', default='o.txt')\na = p.parse_args()\nfor f in a.files: f.read_text()\nopen(a.out, 'w')",
            "r one.txt; r two.txt; w o.txt",
        ),
        (
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('src')\na = p.parse_args()\nopen(a.src, 'w')",
            "w «var»",
        ),
        ("import sys\nfirst, *rest = sys.argv[1:]\nopen(first)\nfor p in rest: open(p, 'w')", "r one.txt; w two.txt"),
        ("import sys\na, b = sys.argv[1:3]\nopen(a)\nopen(b, 'w')", "r one.txt; w two.txt"),
        ("def f(p, *more):\n    open(p)\n    for q in more: open(q, 'w')\nf('a', 'b', 'c')", "r a; w b; w c"),
        ("import subprocess, sys\nsubprocess.run([sys.executable, 'x.py'])", "! python3 x.py"),
        (
            "def work(p):\n    open(p, 'w')\nwith Pool() as pool:\n    pool.map(work, ['a', 'b'])\n    pool.submit(work, 'c')",
            "w a; w b; w c",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(reads(Lang::Python, text), wanted, "{text}");
    }
}
