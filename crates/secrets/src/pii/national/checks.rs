//! Check digits and ranges of national numbers, by the names that the table gives them.

type Check = fn(&[u8]) -> bool;

/// The checks by their names.
const CHECKS: &[(&str, Check)] = &[
    ("none", |_| true),
    ("us-ssn", us_ssn),
    ("us-itin", us_itin),
    ("us-mbi", us_mbi),
    ("us-npi", us_npi),
    ("es-nif", es_nif),
    ("it-cf", it_codice_fiscale),
    ("luhn", |number| luhn(&values(number))),
    ("se", se_personnummer),
    ("de-id", de_document),
    ("de-rvnr", de_rvnr),
    ("de-kvnr", de_kvnr),
    ("de-idnr", de_idnr),
    ("fr-nir", fr_nir),
    ("gb-nino", gb_nino),
    ("gb-nhs", gb_nhs),
    ("nl-bsn", nl_bsn),
    ("be-nrn", be_nrn),
    ("fi-hetu", fi_hetu),
    ("pl-pesel", |number| weighed(number, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1], 10)),
    ("pt-nif", |number| mod11_down(number)),
    ("no-fnr", no_fodselsnummer),
    ("ch-ahv", ch_ahv),
    ("br-cpf", br_cpf),
    ("cl-rut", cl_rut),
    ("mx-curp", mx_curp),
    ("au-tfn", |number| weighed(number, &[1, 4, 3, 7, 5, 8, 6, 9, 10], 11)),
    ("au-medicare", au_medicare),
    ("au-acn", |number| weighed(number, &[8, 7, 6, 5, 4, 3, 2, 1, 1], 10)),
    ("in-aadhaar", in_aadhaar),
    ("in-pan", |number| number.get(3).is_some_and(|holder| b"ABCFGHJLPT".contains(holder))),
    ("cn-id", cn_resident),
    ("kr-rrn", kr_rrn),
    ("sg-nric", sg_nric),
    ("tw-id", tw_id),
    ("tr-kimlik", tr_kimlik),
    ("il-id", |number| luhn(&values(number))),
    ("za-id", |number| luhn(&values(number)) && is_month_day(number, 2)),
    ("yymmdd", |number| is_month_day(number, 2)),
    ("ddmmyy", |number| is_day_month(number, 0)),
];

/// The check of that name.
pub(super) fn named(name: &str) -> Option<Check> {
    CHECKS.iter().find(|(known, _)| *known == name).map(|(_, check)| *check)
}

/// The values of digits.
fn values(number: &[u8]) -> Vec<u8> {
    number.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| byte - b'0').collect()
}

/// A part of a number as one.
fn part(number: &[u8], start: usize, end: usize) -> u64 {
    let part = number.get(start..end).unwrap_or_default();
    part.iter().filter(|byte| byte.is_ascii_digit()).fold(0, |sum, byte| sum * 10 + u64::from(byte - b'0'))
}

/// The sum of values by weights.
fn sum(number: &[u8], weights: &[u32]) -> u32 {
    number.iter().zip(weights).map(|(byte, weight)| u32::from(byte.wrapping_sub(b'0')) * weight).sum()
}

/// The weighted sum is a multiple.
fn weighed(number: &[u8], weights: &[u32], modulus: u32) -> bool {
    sum(number, weights).is_multiple_of(modulus) && number.iter().any(|byte| *byte != b'0')
}

fn digit(number: &[u8], at: usize) -> u32 {
    number.get(at).map_or(u32::MAX, |byte| u32::from(byte.wrapping_sub(b'0')))
}

/// ISO/IEC 7812-1 annex B, over values of digits.
pub(in crate::pii) fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match u32::from(*digit) * if at % 2 == 1 { 2 } else { 1 } {
            sum @ 10.. => sum - 9,
            sum => sum,
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != 0)
}

fn is_month_day(number: &[u8], at: usize) -> bool {
    (1..=12).contains(&part(number, at, at + 2)) && (1..=31).contains(&part(number, at + 2, at + 4))
}

fn is_day_month(number: &[u8], at: usize) -> bool {
    (1..=31).contains(&part(number, at, at + 2)) && (1..=12).contains(&part(number, at + 2, at + 4))
}

/// Areas 000, 666 and 900 to 999, group 00 and serial 0000 are never given; one number was printed in wallets, one in
/// advertisements.
fn us_ssn(number: &[u8]) -> bool {
    let area = part(number, 0, 3);
    area != 0
        && area != 666
        && area < 900
        && part(number, 3, 5) != 0
        && part(number, 5, 9) != 0
        && !matches!(number, b"078051120" | b"219099999" | b"123456789")
}

fn us_itin(number: &[u8]) -> bool {
    number.first() == Some(&b'9') && matches!(part(number, 3, 5), 50..=65 | 70..=88 | 90..=92 | 94..=99)
}

/// Letters but S, L, O, I, B and Z.
fn us_mbi(number: &[u8]) -> bool {
    number.first() != Some(&b'0') && !number.iter().any(|byte| b"SLOIBZ".contains(byte))
}

/// Luhn with 80840 before the number.
fn us_npi(number: &[u8]) -> bool {
    matches!(number.first(), Some(b'1' | b'2')) && luhn(&values(&[b"80840", number].concat()))
}

/// The letter is the number modulo 23; `X`, `Y` and `Z` of foreigners are 0, 1 and 2.
fn es_nif(number: &[u8]) -> bool {
    let foreign = match number.first() {
        Some(b'X') => Some(b'0'),
        Some(b'Y') => Some(b'1'),
        Some(b'Z') => Some(b'2'),
        Some(b'0'..=b'9') => None,
        _ => return false,
    };
    let mut number = number.to_vec();
    if let (Some(digit), Some(first)) = (foreign, number.first_mut()) {
        *first = digit;
    }
    let last = number.len().saturating_sub(1);
    let letter = usize::try_from(part(&number, 0, last) % 23).ok().and_then(|at| b"TRWAGMYFPDXBNJZSQVHLCKE".get(at));
    letter == number.last()
}

fn it_codice_fiscale(number: &[u8]) -> bool {
    // Values at odd places, for 0 to 9 and for A to Z (decree of 23 December 1976).
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let value = |byte: u8| u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte.wrapping_sub(b'A') });
    let (head, last) = number.split_at_checked(15).unwrap_or_default();
    let sum: u32 = head
        .iter()
        .enumerate()
        .map(|(at, byte)| if at % 2 == 0 { ODD.get(value(*byte) as usize).copied().unwrap_or(0) } else { value(*byte) })
        .sum();
    last.first().is_some_and(|byte| value(*byte) == sum % 26)
}

fn se_personnummer(number: &[u8]) -> bool {
    let short = number.len().checked_sub(10).and_then(|from| number.get(from..)).unwrap_or_default();
    let day = part(short, 4, 6);
    let century = number.len() == 10 || matches!(part(number, 0, 2), 18..=20);
    century && (1..=12).contains(&part(short, 2, 4)) && matches!(day, 1..=31 | 61..=91) && luhn(&values(short))
}

/// ICAO Doc 9303: weights 7, 3, 1; letters are 10 to 35.
fn de_document(number: &[u8]) -> bool {
    let (head, last) = number.split_at_checked(number.len().saturating_sub(1)).unwrap_or_default();
    let letter = |byte: u8| u32::from(byte.wrapping_sub(b'A')) + 10;
    let value = |byte: u8| if byte.is_ascii_digit() { u32::from(byte - b'0') } else { letter(byte) };
    let sum: u32 = head.iter().zip([7, 3, 1].iter().cycle()).map(|(byte, weight)| value(*byte) * weight).sum();
    let first = head.first().is_some_and(|byte| b"CFGHJKLMNPRTVWXYZ".contains(byte));
    first && last.first().is_some_and(|byte| value(*byte) == sum % 10)
}

/// The letter becomes two digits; weights 2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1; cross sums.
fn crossed(digits: &[u8], weights: &[u32]) -> u32 {
    digits
        .iter()
        .zip(weights)
        .map(|(digit, weight)| u32::from(*digit) * weight)
        .map(|value| value / 10 + value % 10)
        .sum()
}

fn with_letter(number: &[u8]) -> Vec<u8> {
    number
        .iter()
        .flat_map(|byte| match byte {
            b'0'..=b'9' => vec![byte - b'0'],
            _ => vec![byte.wrapping_sub(b'@') / 10, byte.wrapping_sub(b'@') % 10],
        })
        .collect()
}

fn de_rvnr(number: &[u8]) -> bool {
    let digits = with_letter(number.get(..11).unwrap_or_default());
    let sum = crossed(&digits, &[2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]);
    is_day_month(number, 2) && digit(number, 11) == sum % 10
}

fn de_kvnr(number: &[u8]) -> bool {
    let digits = with_letter(number.get(..9).unwrap_or_default());
    digit(number, 9) == crossed(&digits, &[1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10
}

/// ISO 7064 mod 11,10.
fn de_idnr(number: &[u8]) -> bool {
    let product = number.iter().take(10).fold(10, |product, byte| {
        let sum = (product + u32::from(byte.wrapping_sub(b'0'))) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    number.first() != Some(&b'0') && digit(number, 10) == (11 - product) % 10
}

fn fr_nir(number: &[u8]) -> bool {
    let sex = matches!(number.first(), Some(b'1' | b'2'));
    sex && (1..=12).contains(&part(number, 3, 5)) && 97 - part(number, 0, 13) % 97 == part(number, 13, 15)
}

fn gb_nino(number: &[u8]) -> bool {
    let (head, last) = (number.get(..2).unwrap_or_default(), number.last());
    let never = [&b"BG"[..], b"GB", b"KN", b"NK", b"NT", b"TN", b"ZZ"].contains(&head);
    !never
        && !head.iter().any(|byte| b"DFIQUV".contains(byte))
        && head.last() != Some(&b'O')
        && last.is_some_and(|byte| matches!(byte, b'A'..=b'D'))
}

fn gb_nhs(number: &[u8]) -> bool {
    mod11_down(number)
}

/// Weights from the length down to 2; the check digit is 11 minus the sum modulo 11, 11 is 0.
fn mod11_down(number: &[u8]) -> bool {
    let length = number.len();
    let sum: u32 = number
        .iter()
        .take(length - 1)
        .zip((2..=length).rev())
        .map(|(byte, weight)| u32::from(byte.wrapping_sub(b'0')) * u32::try_from(weight).unwrap_or(0))
        .sum();
    let check = 11 - sum % 11;
    digit(number, length - 1) == if check >= 11 || check == 10 && length == 9 { 0 } else { check }
}

fn nl_bsn(number: &[u8]) -> bool {
    let head = sum(number, &[9, 8, 7, 6, 5, 4, 3, 2]);
    head > 0 && head % 11 == digit(number, 8)
}

fn be_nrn(number: &[u8]) -> bool {
    let (base, check) = (part(number, 0, 9), part(number, 9, 11));
    is_month_day(number, 2) && (97 - base % 97 == check || 97 - (2_000_000_000 + base) % 97 == check)
}

fn fi_hetu(number: &[u8]) -> bool {
    let value = part(number, 0, 9) % 31;
    let sign = usize::try_from(value).ok().and_then(|at| b"0123456789ABCDEFHJKLMNPRSTUVWXY".get(at));
    is_day_month(number, 0) && sign == number.last()
}

fn no_fodselsnummer(number: &[u8]) -> bool {
    weighed(number, &[3, 7, 6, 1, 8, 9, 4, 5, 2, 1], 11) && weighed(number, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11)
}

/// EAN-13.
fn ch_ahv(number: &[u8]) -> bool {
    number.starts_with(b"756") && weighed(number, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1], 10)
}

fn br_cpf(number: &[u8]) -> bool {
    let check = |weights: &[u32]| sum(number, weights) * 10 % 11 % 10;
    let repeated = number.iter().all(|byte| Some(byte) == number.first());
    !repeated
        && check(&[10, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(number, 9)
        && check(&[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(number, 10)
}

fn cl_rut(number: &[u8]) -> bool {
    let (head, last) = number.split_at_checked(number.len().saturating_sub(1)).unwrap_or_default();
    let sum: u32 = head
        .iter()
        .rev()
        .zip([2, 3, 4, 5, 6, 7].iter().cycle())
        .map(|(byte, weight)| u32::from(byte.wrapping_sub(b'0')) * weight)
        .sum();
    let check = match 11 - sum % 11 {
        11 => b'0',
        10 => b'K',
        value => u8::try_from(value).map_or(0, |value| b'0' + value),
    };
    last.first() == Some(&check)
}

fn mx_curp(number: &[u8]) -> bool {
    is_month_day(number, 6) && matches!(number.get(10), Some(b'H' | b'M' | b'X'))
}

fn au_medicare(number: &[u8]) -> bool {
    matches!(number.first(), Some(b'2'..=b'6')) && sum(number, &[1, 3, 7, 9, 1, 3, 7, 9]) % 10 == digit(number, 8)
}

/// Verhoeff: the dihedral group of the pentagon.
fn in_aadhaar(number: &[u8]) -> bool {
    const MOVES: [[u8; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    let product = |a: u8, b: u8| match (a, b) {
        (0..=4, 0..=4) => (a + b) % 5,
        (0..=4, _) => (a + b - 5) % 5 + 5,
        (_, 0..=4) => (a - 5 + 5 - b) % 5 + 5,
        _ => (a + 5 - b) % 5,
    };
    let moved = number
        .iter()
        .rev()
        .zip(MOVES.iter().cycle())
        .map(|(byte, moves)| moves.get(usize::from(byte.wrapping_sub(b'0'))).copied().unwrap_or(0));
    matches!(number.first(), Some(b'2'..=b'9')) && moved.fold(0, product) == 0
}

/// ISO 7064 mod 11-2, and a date of birth.
fn cn_resident(number: &[u8]) -> bool {
    let sum = sum(number.get(..17).unwrap_or_default(), &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    let sign = b"10X98765432".get(sum as usize % 11);
    matches!(part(number, 6, 8), 19 | 20) && is_month_day(number, 10) && sign == number.last()
}

fn kr_rrn(number: &[u8]) -> bool {
    let sum = sum(number, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
    is_month_day(number, 2) && matches!(number.get(6), Some(b'0'..=b'9')) && (11 - sum % 11) % 10 == digit(number, 12)
}

fn sg_nric(number: &[u8]) -> bool {
    let sum = sum(number.get(1..8).unwrap_or_default(), &[2, 7, 6, 5, 4, 3, 2]);
    let (offset, letters): (u32, &[u8]) = match number.first() {
        Some(b'S') => (0, b"JZIHGFEDCBA"),
        Some(b'T') => (4, b"JZIHGFEDCBA"),
        Some(b'F') => (0, b"XWUTRQPNMLK"),
        Some(b'G') => (4, b"XWUTRQPNMLK"),
        Some(b'M') => (3, b"XWUTRQPNJLK"),
        _ => return false,
    };
    letters.get((sum + offset) as usize % 11) == number.last()
}

fn tw_id(number: &[u8]) -> bool {
    const ORDER: &[u8] = b"ABCDEFGHJKLMNPQRSTUVXYWZIO";
    let Some(letter) = number.first().and_then(|first| ORDER.iter().position(|byte| byte == first)) else {
        return false;
    };
    let letter = u32::try_from(letter).unwrap_or(0) + 10;
    let sum = letter / 10 + letter % 10 * 9 + sum(number.get(1..).unwrap_or_default(), &[8, 7, 6, 5, 4, 3, 2, 1, 1]);
    matches!(number.get(1), Some(b'1' | b'2' | b'8' | b'9')) && sum.is_multiple_of(10)
}

fn tr_kimlik(number: &[u8]) -> bool {
    let values = values(number);
    let sum = |odd: usize| values.iter().take(9).skip(odd).step_by(2).map(|digit| u32::from(*digit)).sum::<u32>();
    let total: u32 = values.iter().take(10).map(|digit| u32::from(*digit)).sum();
    number.first() != Some(&b'0')
        && (sum(0) * 7 + 90 - sum(1)) % 10 == digit(number, 9)
        && total % 10 == digit(number, 10)
}
