//! "Did you mean", as a table of slips.

use crate::config::nearest;

#[test]
fn slips_lead_to_the_key_that_was_meant() {
    let rows: &[(&[&str], bool, &[&str])] = &[
        (&["mode", "defualt"], false, &["mode.default"]),
        (&["mode", "Default"], false, &["mode.default"]),
        (&["threshold"], false, &["ladder.threshold"]),
        (&["treshold"], false, &["ladder.threshold"]),
        (&["guard", "threshold"], false, &["ladder.threshold"]),
        (&["ladder", "treshold"], false, &["ladder.threshold"]),
        (&["ladder", "log-file"], false, &["ladder.log_file"]),
        (&["ladder", "first"], false, &["ladder.notes.first"]),
        (&["opaque"], false, &["guard.opaque", "mode.opaque"]),
        (&["modes", "web", "writeable"], false, &["modes.web.writable"]),
        (&["mode", "web", "writable"], false, &["modes.web.writable"]),
        (&["writable"], false, &["modes.NAME.writable"]),
        (&["guard", "git/force-push"], false, &["guard.rules.\"git/force-push\""]),
        (&["git/force-push"], false, &["guard.rules.\"git/force-push\""]),
        (&["locks"], false, &["lock"]),
        (&["laddr"], true, &["ladder"]),
        (&["mode", "web"], true, &["modes.web"]),
        (&["guard", "rulez"], true, &["guard.rules"]),
        (&["rules"], true, &["guard.rules"]),
        (&["zzz"], true, &[]),
        (&["top"], false, &[]),
        (&["ladder", "x"], false, &[]),
        (&[], false, &[]),
    ];
    for (path, table, want) in rows {
        assert_eq!(nearest(path, *table), *want, "{path:?}");
    }
}
