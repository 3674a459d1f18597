//! Replaces the escapes in a string by the characters that they stand for.

/// Text with the characters that its escapes stand for.
pub(super) fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut left = text.chars();
    while let Some(character) = left.next() {
        if character != '\\' {
            result.push(character);
            continue;
        }
        match left.clone().next() {
            Some('x') => {
                left.next();
                result.push(hexadecimal(&mut left, 2));
            }
            Some('u') if left.clone().nth(1) != Some('{') => {
                left.next();
                result.push(hexadecimal(&mut left, 4));
            }
            Some(escape) => {
                left.next();
                match escape {
                    'n' => result.push('\n'),
                    't' => result.push('\t'),
                    'r' => result.push('\r'),
                    '\n' => {}
                    '0'..='7' => result.push(octal(escape, &mut left)),
                    other => result.push(other),
                }
            }
            None => {}
        }
    }
    result
}

/// A number of up to three digits, of which the first was read.
fn octal(first: char, left: &mut std::str::Chars<'_>) -> char {
    let mut value = first.to_digit(8).unwrap_or(0);
    for _ in 0..2 {
        let Some(digit) = left.clone().next().and_then(|c| c.to_digit(8)) else { break };
        value = value * 8 + digit;
        left.next();
    }
    char::from_u32(value).unwrap_or('\u{FFFD}')
}

fn hexadecimal(left: &mut std::str::Chars<'_>, digits: usize) -> char {
    let text: String = left.clone().take(digits).collect();
    let value = u32::from_str_radix(&text, 16).ok().and_then(char::from_u32);
    if value.is_some() {
        left.nth(digits - 1);
    }
    value.unwrap_or('\u{FFFD}')
}
