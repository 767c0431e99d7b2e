//! Imports of Python and JavaScript.

use super::super::javascript;
use super::super::program::lex::Style;
use super::super::program::value::Value;
use super::super::program::walk::Walk;
use super::tables::MODULES;
use std::rc::Rc;

/// Whether a module runs no code of the project.
pub fn known(module: &str) -> bool {
    let top = module.split('.').next().unwrap_or_default();
    MODULES.binary_search(&top).is_ok()
}

impl<'a> Walk<'a> {
    /// `import a.b as c`
    pub fn import(&mut self, module: &'a Rc<str>, alias: Option<&'a str>) {
        if self.style == Style::JavaScript {
            let value = javascript::calls::module(self, module);
            if let Some(alias) = alias {
                self.set(alias, value);
            }
            return;
        }
        let top = module.split('.').next().unwrap_or_default();
        if known(module) {
            match alias {
                Some(alias) => self.set(alias, Value::thing(module)),
                // `import a.b` binds `a`.
                None => self.set(top, Value::thing(top)),
            }
            return;
        }
        self.open("imports project code");
        self.set(alias.unwrap_or(top), Value::Foreign);
    }

    /// `from a import b as c`
    pub fn import_from(&mut self, module: &'a Rc<str>, names: &'a [(&'a str, &'a str)]) {
        if self.style == Style::JavaScript {
            let whole = javascript::calls::module(self, module);
            for (name, alias) in names {
                let value = if *name == "default" { whole.clone() } else { self.attr(&whole, name) };
                self.set(alias, value);
            }
            return;
        }
        let known = known(module);
        if !known {
            self.open("imports project code");
        }
        for (name, alias) in names {
            if *name == "*" {
                match &**module {
                    "pathlib" => self.set("Path", Value::thing("pathlib.Path")),
                    "os" | "shutil" | "subprocess" => self.open("imports all names"),
                    _ => {}
                }
                continue;
            }
            let value = if known { Value::Thing(super::calls::dotted(module, name)) } else { Value::Foreign };
            self.set(alias, value);
        }
    }
}
