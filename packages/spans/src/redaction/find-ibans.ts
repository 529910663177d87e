import { type Finder, isAlphanumeric, isDigit } from "./found.ts";

/** How many characters an IBAN has in each country. */
const LENGTHS = new Map(
  (
    "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18" +
    "FK18FO18FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21" +
    "LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22" +
    "RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30"
  )
    .match(/[A-Z]{2}\d{2}/g)
    ?.map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
const START = /[A-Za-z]{2}\d{2}/g;
/** Account numbers have them; what has none is more likely a word. */
const DIGITS_IN_A_ROW = /\d(?: ?\d){7}/;

/**
 * Finds IBANs: a country's code and its number of characters, single spaces between them or none, at
 * least eight digits in a row, and valid check digits.
 */
export const findIbans: Finder = (text, report) => {
  START.lastIndex = 0;
  for (let hit = START.exec(text); hit !== null; hit = START.exec(text)) {
    const end = ibanEnd(text, hit.index);
    if (end === null) START.lastIndex = hit.index + 1;
    else {
      report(hit.index, end);
      START.lastIndex = end;
    }
  }
};

/** Whether there is an IBAN in a text, also with letters or digits right before or after it. */
export function containsIban(text: string): boolean {
  START.lastIndex = 0;
  for (let hit = START.exec(text); hit !== null; hit = START.exec(text)) {
    if (charactersEnd(text, hit.index) !== null) return true;
    START.lastIndex = hit.index + 1;
  }
  return false;
}

function ibanEnd(text: string, start: number): number | null {
  if (isAlphanumeric(text.charCodeAt(start - 1))) return null;
  const end = charactersEnd(text, start);
  return end === null || isAlphanumeric(text.charCodeAt(end)) ? null : end;
}

function charactersEnd(text: string, start: number): number | null {
  const length = LENGTHS.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return null;
  let iban = "";
  let at = start;
  while (iban.length < length) {
    if (text[at] === " " && iban !== "") at++;
    if (!isAlphanumeric(text.charCodeAt(at))) return null;
    iban += text[at++];
  }
  if (!DIGITS_IN_A_ROW.test(text.slice(start, at))) return null;
  return hasValidCheckDigits(iban.toUpperCase()) ? at : null;
}

// Modulo 97 of the digits, with the first four characters at the end and letters as 10 to 35.
function hasValidCheckDigits(iban: string): boolean {
  let remainder = 0;
  for (let i = 0; i < iban.length; i++) {
    const code = iban.charCodeAt((i + 4) % iban.length);
    remainder = (isDigit(code) ? remainder * 10 + code - 48 : remainder * 100 + code - 55) % 97;
  }
  return remainder === 1;
}
