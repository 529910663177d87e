import { isHopByHop, namedByConnection } from "./forwarded-request.ts";

/** Where the body of a response ends: RFC 9112, 6.3. */
export type ResponseBody =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "until-close" };

export interface ResponseHead {
  readonly status: number;
  readonly phrase: string;
  /** Name, value, name, value …: those that are passed on. */
  readonly headers: string[];
  readonly body: ResponseBody;
  /** How long the service keeps the connection when nothing is sent; 0 closes it at once. */
  readonly keepAliveMs: number;
}

/** What is not HTTP as it should be: one clause for a message. */
export class MalformedResponse extends Error {
  override readonly name = "MalformedResponse";
}

/** Not passed on: the service answers under the platform's own name, whose cookies are not its to set. */
const SET_COOKIE = "set-cookie";
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const TOKEN = /^[\w!#$%&'*+\-.^`|~]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Parses the head of a response strictly: a message with two readings allows response smuggling.
 *
 * @param text Without the empty line at its end.
 * @param method Of the request.
 * @throws MalformedResponse
 */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const lines = text.split("\r\n");
  const [, minor, digits, phrase = ""] = STATUS_LINE.exec(lines[0] as string) ?? [];
  if (digits === undefined) throw new MalformedResponse("its first line is no status line");
  const status = Number(digits);
  let length: string | undefined;
  let coding: string | undefined;
  let connection = "";
  let hint: string | undefined;
  const headers: string[] = [];
  for (let n = 1; n < lines.length; n++) {
    const [name, value] = parseField(lines[n] as string);
    const known = name.toLowerCase();
    if (known === "content-length") length = onlyOne(known, length, value);
    else if (known === "transfer-encoding") coding = onlyOne(known, coding, value);
    else if (known === "connection") connection += connection === "" ? value : `,${value}`;
    else if (known === "keep-alive") hint = value;
    if (!isHopByHop(known) && known !== SET_COOKIE) headers.push(name, value);
  }
  const is11 = minor === "1";
  if (!is11 && (status < 200 || coding !== undefined)) {
    throw new MalformedResponse("it is HTTP/1.0 and uses what came after it");
  }
  const named = namedByConnection(connection);
  return {
    status,
    phrase,
    headers: named === undefined ? headers : without(headers, named),
    body: bodyOf(status, method, length, coding),
    keepAliveMs: keepAliveOf(is11, connection.toLowerCase(), hint),
  };
}

/** The fields after a chunked body, those that are passed on. @throws MalformedResponse */
export function parseTrailers(text: string): [name: string, value: string][] {
  return text
    .split("\r\n")
    .map(parseField)
    .filter(([name]) => {
      const known = name.toLowerCase();
      if (known === "content-length" || known === "transfer-encoding") {
        throw new MalformedResponse(`it has a ${known} after its body`);
      }
      return !isHopByHop(known) && known !== SET_COOKIE;
    });
}

function parseField(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon));
  const value = withoutMargins(line.slice(colon + 1));
  if (TOKEN.test(name) && VALUE.test(value)) return [name, value];
  throw new MalformedResponse("one of its headers is malformed");
}

/** Without spaces and tabs around it; `trim` takes what belongs to the value, too. */
function withoutMargins(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isMargin(text.charCodeAt(start))) start++;
  while (end > start && isMargin(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isMargin(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function onlyOne(name: string, before: string | undefined, value: string): string {
  if (before === undefined) return value;
  throw new MalformedResponse(`it has several ${name} headers`);
}

function bodyOf(
  status: number,
  method: string,
  length: string | undefined,
  coding: string | undefined,
): ResponseBody {
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    throw new MalformedResponse("its content-length is no number");
  }
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    throw new MalformedResponse("its transfer-encoding is not chunked");
  }
  if (coding !== undefined && length !== undefined) {
    throw new MalformedResponse("it has a content-length and a transfer-encoding");
  }
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) {
    return { kind: "none" };
  }
  if (coding !== undefined) return { kind: "chunked" };
  if (length === undefined) return { kind: "until-close" };
  return length === "0" ? { kind: "none" } : { kind: "length", bytes: Number(length) };
}

/** Where nothing is said of a time, the service keeps it open for ever. */
function keepAliveOf(is11: boolean, connection: string, hint: string | undefined): number {
  if (/\bclose\b/.test(connection)) return 0;
  if (!is11 && !/\bkeep-alive\b/.test(connection)) return 0;
  const seconds = /\btimeout=(\d{1,9})/.exec(hint ?? "")?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}

function without(headers: readonly string[], names: ReadonlySet<string>): string[] {
  return headers.filter((_, n) => !names.has((headers[n - (n % 2)] as string).toLowerCase()));
}
