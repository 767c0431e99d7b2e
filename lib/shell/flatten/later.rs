//! What is certain where a text runs that the shell keeps for later: `trap 'rm -rf "$T"' EXIT`.

use super::Walk;

const LOOPS: [&str; 4] = ["for", "while", "until", "select"];

impl Walk<'_, '_> {
    /// Leaves certain what nothing can change that runs after the command being walked: what
    /// stands behind it, and the functions, which may be called there.
    pub(super) fn waits(&mut self) {
        let rest = self.text.get(self.at as usize..).unwrap_or_default();
        let again = self.out.ctx.iter().any(|ctx| LOOPS.contains(&ctx.as_str()));
        let elsewhere = self.out.functions.iter().any(|function| function.source != self.here.number);
        if again || elsewhere || self.here.outer.is_some() {
            self.out.state.lose();
            return;
        }
        self.out.state.params = None;
        self.out.state.vars.doubt(rest);
        for function in &self.out.functions {
            let body = self.text.get(function.span.start as usize..function.span.end as usize);
            self.out.state.vars.doubt(body.unwrap_or_default());
        }
    }
}
