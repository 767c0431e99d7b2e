//! Arithmetic of certain numbers: `$((i + 1))`, `((i++))`, `let n=3*4`.

/// Longest expression in bytes.
const LONGEST: usize = 512;
/// Deepest nesting of parentheses and operators.
const DEEPEST: usize = 24;

/// The variables of an expression: reads one, or sets it. `None` for a value that is not certain.
pub type Names<'n> = dyn FnMut(&str, Option<i64>) -> Option<i64> + 'n;

/// The value of an expression, as bash computes it; `None` if it is not certain.
pub fn evaluate(text: &str, names: &mut Names<'_>) -> Option<i64> {
    if text.len() > LONGEST {
        return None;
    }
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Some(0);
    }
    let mut reader = Reader { tokens: &tokens, at: 0, depth: 0, live: true, names };
    let value = reader.comma()?;
    (reader.at == tokens.len()).then_some(value)
}

/// Whether an expression changes a variable.
pub fn changes(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.contains("++")
        || text.contains("--")
        || bytes.iter().enumerate().any(|(at, byte)| {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            let compares = match before {
                Some(b'=' | b'!') => true,
                Some(side @ (b'<' | b'>')) => at < 2 || bytes.get(at - 2) != Some(side),
                _ => false,
            };
            *byte == b'=' && bytes.get(at + 1) != Some(&b'=') && !compares
        })
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Number(i64),
    Name(String),
    Sign(&'static str),
}

/// Longest first.
const SIGNS: [&str; 39] = [
    "<<=", ">>=", "**", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=",
    "^=", "|=", "+", "-", "*", "/", "%", "<", ">", "=", "!", "~", "&", "^", "|", "?", ":", ",", "(", ")",
];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if first.is_ascii_digit() {
            let end = rest.find(|letter: char| !(word(letter) || matches!(letter, '#' | '@'))).unwrap_or(rest.len());
            let (digits, after) = rest.split_at_checked(end)?;
            out.push(Token::Number(number(digits)?));
            rest = after;
        } else if word(first) {
            let end = rest.find(|letter: char| !word(letter)).unwrap_or(rest.len());
            let (name, after) = rest.split_at_checked(end)?;
            out.push(Token::Name(name.to_owned()));
            rest = after;
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
            out.push(Token::Sign(sign));
            rest = rest.get(sign.len()..)?;
        }
        rest = rest.trim_start();
    }
    Some(out)
}

/// A number as bash reads it: `12`, `017`, `0x1f`, `2#101`.
pub fn number(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (digits, radix) = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        (hex, 16)
    } else if let Some((base, digits)) = digits.split_once('#') {
        (digits, base.parse().ok().filter(|base| (2..=36).contains(base))?)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (digits, 8)
    } else {
        (digits, 10)
    };
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_alphanumeric()) {
        return None;
    }
    let value = i64::from_str_radix(digits, radix).ok()?;
    Some(if negative { value.wrapping_neg() } else { value })
}

struct Reader<'r, 'n> {
    tokens: &'r [Token],
    at: usize,
    depth: usize,
    /// Whether what is read now also happens (not behind `0 &&`).
    live: bool,
    names: &'r mut Names<'n>,
}

impl<'r> Reader<'r, '_> {
    fn sign(&self) -> Option<&'static str> {
        match self.tokens.get(self.at)? {
            Token::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = self.sign() == Some(sign);
        self.at += usize::from(found);
        found
    }

    fn comma(&mut self) -> Option<i64> {
        let mut value = self.assignment()?;
        while self.takes(",") {
            value = self.assignment()?;
        }
        Some(value)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let value = if self.depth > DEEPEST { None } else { read(self) };
        self.depth -= 1;
        value
    }

    fn get(&mut self, name: &str) -> Option<i64> {
        if self.live { (self.names)(name, None) } else { Some(0) }
    }

    fn set(&mut self, name: &str, value: i64) -> Option<i64> {
        if self.live { (self.names)(name, Some(value)) } else { Some(value) }
    }

    fn assignment(&mut self) -> Option<i64> {
        self.deeper(|reader| {
            let tokens: &'r [Token] = reader.tokens;
            if let (Some(Token::Name(name)), Some(Token::Sign(sign))) =
                (tokens.get(reader.at), tokens.get(reader.at + 1))
                && let Some(operator) = sign.strip_suffix('=')
                && !matches!(operator, "=" | "!" | "<" | ">")
            {
                reader.at += 2;
                let right = reader.assignment()?;
                let value = match operator {
                    "" => right,
                    operator => {
                        let left = reader.get(name)?;
                        reader.apply(operator, left, right)?
                    }
                };
                return reader.set(name, value);
            }
            reader.choice()
        })
    }

    fn choice(&mut self) -> Option<i64> {
        let asked = self.binary(1)?;
        if !self.takes("?") {
            return Some(asked);
        }
        let live = self.live;
        self.live = live && asked != 0;
        let yes = self.deeper(Self::comma)?;
        if !self.takes(":") {
            return None;
        }
        self.live = live && asked == 0;
        let no = self.assignment()?;
        self.live = live;
        Some(if asked != 0 { yes } else { no })
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Option<i64> {
        self.deeper(|reader| {
            let mut left = reader.unary()?;
            while let Some(sign) = reader.sign()
                && let Some(level) = level(sign).filter(|level| *level >= least)
            {
                reader.at += 1;
                let live = reader.live;
                reader.live = live && !(sign == "&&" && left == 0 || sign == "||" && left != 0);
                let right = reader.binary(if sign == "**" { level } else { level + 1 });
                let now = reader.live;
                reader.live = live;
                left = match right {
                    Some(right) if now => reader.apply(sign, left, right)?,
                    Some(_) if sign == "||" && live => 1,
                    Some(_) => 0,
                    None => return None,
                };
            }
            Some(left)
        })
    }

    fn apply(&self, sign: &str, left: i64, right: i64) -> Option<i64> {
        Some(match sign {
            "+" => left.wrapping_add(right),
            "-" => left.wrapping_sub(right),
            "*" => left.wrapping_mul(right),
            "/" | "%" if right == 0 => return None,
            "/" => left.wrapping_div(right),
            "%" => left.wrapping_rem(right),
            "**" => left.wrapping_pow(u32::try_from(right).ok()?),
            "<<" => left.wrapping_shl(u32::try_from(right & 63).ok()?),
            ">>" => left.wrapping_shr(u32::try_from(right & 63).ok()?),
            "<" => i64::from(left < right),
            ">" => i64::from(left > right),
            "<=" => i64::from(left <= right),
            ">=" => i64::from(left >= right),
            "==" => i64::from(left == right),
            "!=" => i64::from(left != right),
            "&" => left & right,
            "^" => left ^ right,
            "|" => left | right,
            "&&" => i64::from(left != 0 && right != 0),
            "||" => i64::from(left != 0 || right != 0),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Option<i64> {
        self.deeper(|reader| {
            let token: &'r Token = reader.tokens.get(reader.at)?;
            reader.at += 1;
            match token {
                Token::Number(value) => Some(*value),
                Token::Sign("(") => {
                    let value = reader.comma()?;
                    reader.takes(")").then_some(value)
                }
                Token::Sign("-") => Some(reader.unary()?.wrapping_neg()),
                Token::Sign("+") => reader.unary(),
                Token::Sign("!") => Some(i64::from(reader.unary()? == 0)),
                Token::Sign("~") => Some(!reader.unary()?),
                Token::Sign(step @ ("++" | "--")) => {
                    let Token::Name(name) = reader.tokens.get(reader.at)? else { return None };
                    let name = name.clone();
                    reader.at += 1;
                    let value = reader.get(&name)?.wrapping_add(if *step == "++" { 1 } else { -1 });
                    reader.set(&name, value)
                }
                Token::Name(name) => {
                    let value = reader.get(name)?;
                    let step = match reader.sign() {
                        Some("++") => 1,
                        Some("--") => -1,
                        _ => return Some(value),
                    };
                    reader.at += 1;
                    reader.set(name, value.wrapping_add(step))?;
                    Some(value)
                }
                Token::Sign(_) => None,
            }
        })
    }
}

fn level(sign: &str) -> Option<u8> {
    Some(match sign {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        "**" => 11,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{changes, evaluate};

    #[test]
    fn certain_numbers_are_computed_as_in_bash() {
        for (text, expected) in [
            ("1 + 2*3", Some(7)),
            ("2**3**2", Some(512)),
            ("-7/2", Some(-3)),
            ("(1,2) ? 5 : 6", Some(5)),
            ("0 && 1/0", Some(0)),
            ("1 || 0", Some(1)),
            ("1/0", None),
            ("0x1f + 010 + 2#11", Some(42)),
            ("i+1", Some(6)),
            ("i++ + i", Some(11)),
            ("i += 2, i", Some(7)),
            ("j", None),
            ("9223372036854775807 + 1", Some(i64::MIN)),
            ("1 +", None),
            ("", Some(0)),
            ("3 > 2 == 1", Some(1)),
        ] {
            let mut i = 5;
            let mut names = |name: &str, value: Option<i64>| {
                if name != "i" {
                    return None;
                }
                i = value.unwrap_or(i);
                Some(i)
            };
            assert_eq!(evaluate(text, &mut names), expected, "{text}");
        }
        let deep = "(".repeat(200) + "1" + &")".repeat(200);
        assert_eq!(evaluate(&deep, &mut |_, _| None), None);
    }

    #[test]
    fn a_comparison_changes_nothing() {
        assert!(changes("i=1") && changes("i++") && changes("i<<=1") && changes("i+=1"));
        assert!(!changes("i<=1") && !changes("i==1") && !changes("i!=1") && !changes("i>=1 && j"));
    }
}
