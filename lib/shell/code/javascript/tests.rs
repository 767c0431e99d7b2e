//! Tests of the reader of JavaScript.

use crate::shell::code::Lang;
use crate::shell::code::program::tests::reads;

#[test]
fn texts_say_what_they_touch() {
    let cases = [
        ("console.log('rm -rf /')", ""),
        ("// fs.rmSync('x')\n/* fs.rmSync('y') */ const s = \"fs.rmSync('z')\";", ""),
        ("require('fs').writeFileSync('a.txt', 'x')", "w a.txt"),
        (
            "const fs = require('fs');\nconst p = JSON.parse(fs.readFileSync('p.json', 'utf8'));\np.v = 1;\nfs.writeFileSync('p.json', JSON.stringify(p) + '\\n');",
            "r p.json; w p.json",
        ),
        ("const {writeFileSync: w} = require('node:fs'); w('b', '')", "w b"),
        (
            "import fs from 'fs'; import { rm } from 'fs/promises'; await rm('d', { recursive: true }); fs.unlinkSync('e')",
            "d d; d e",
        ),
        ("require('fs').promises.writeFile('c', 'x').then(() => console.log('ok'))", "w c"),
        (
            "const path = require('path'); for (const f of ['a', 'b']) fs.renameSync(f, path.join('out', `${f}.bak`))",
            "d a; w out/a.bak; d b; w out/b.bak",
        ),
        (
            "for (const f of fs.readdirSync('d')) { if (!f.endsWith('.md')) continue; fs.writeFileSync(path.join('d', f), '') }",
            "l d; w d/*",
        ),
        ("['x', 'y'].forEach(f => fs.unlinkSync(f))", "d x; d y"),
        ("require('child_process').execSync('make all', { stdio: 'inherit' })", "$ make all"),
        (
            "const { spawnSync } = require('child_process'); spawnSync('git', ['status'], { cwd: 'sub' })",
            "! env -C sub git status",
        ),
        ("fetch('https://example.com').then(r => r.json()).then(console.log)", "net https://example.com"),
        ("console.log(require('./a.json').v)", "r ./a.json"),
        ("import x from './x.js'; x()", "r ./x.js; open loads the project's code"),
        ("await Bun.write('o', await Bun.file('i').text())", "r i; w o"),
        ("Deno.writeTextFileSync('t', 'x'); Deno.removeSync('u')", "w t; d u"),
        ("const f = (a) => a > 1; console.log(f(2), /a'b/.test('x'))", ""),
        ("function save(name: string): void { fs.writeFileSync(name, 'x') }\nsave('n.txt')", "w n.txt"),
        ("fs.writeFileSync(process.env.HOME + '/x', ''); fs.appendFileSync(os.homedir() + '/y', '')", "w ~/x; w ~/y"),
        ("fs.writeFileSync(process.argv[2], '')", "w two.txt"),
        ("fs.readFile('a', (err, data) => { fs.writeFile('b', data, () => {}) })", "r a; w b"),
        ("eval(code)", "open runs computed code"),
        ("import('fs').then(fs => fs.writeFileSync('a', ''))", "w a"),
        ("import('node:fs/promises').then(({ writeFile }) => writeFile('a', ''))", "w a"),
        (
            "class A { constructor(p) { this.p = p; } put(n) { fs.writeFileSync(this.p + n, ''); } }\nconst a = new A('d/'); a.put('x'); a.put('y');",
            "w d/x; w d/y",
        ),
        ("class A { out = 'o.txt'; save() { fs.writeFileSync(this.out, ''); } }\nnew A().save();", "w o.txt"),
        (
            "const w = (p, ...more) => { for (const m of more) fs.writeFileSync(p + m, ''); }; w('a', 'b', 'c')",
            "w ab; w ac",
        ),
        ("const a = x ? 'p' : 'q'; fs.rmSync(a)", "d p; d q"),
        ("fs.mkdirSync('m/n', { recursive: true }); console.log(`done ${1 + 1}`)", ""),
    ];
    for (text, wanted) in cases {
        assert_eq!(reads(Lang::JavaScript, text), wanted, "{text}");
    }
}
