import type { OtlpGrpcAddress } from "@agate/platform/options";
import { shownValue, variableNameFault } from "@agate/protocol";
import { InvalidArgumentError } from "commander";

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const UNIT_BYTES = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 } as const;

/** @example parsePort("4100") // 4100 */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("Must be a port from 0 to 65535 (0: any free port).");
  }
  return port;
}

/**
 * `off`, a port, or an address and a port.
 *
 * @example parseOtlpGrpc("0.0.0.0:4317") // { host: "0.0.0.0", port: 4317 }
 */
export function parseOtlpGrpc(text: string): OtlpGrpcAddress {
  if (text === "off") return text;
  const [, bracketed, plain, digits = ""] =
    /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d+)$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (digits === "" || Number(digits) > 65_535) {
    throw new InvalidArgumentError(
      "Must be a port, an address with a port (0.0.0.0:4317), or off.",
    );
  }
  return { port: Number(digits), ...(host !== undefined && { host }) };
}

/** Milliseconds. @example parseDuration("30d") // 2592000000 */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(s|m|h|d)$/.exec(text.trim().toLowerCase());
  const length = match && Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
  if (!length) {
    throw new InvalidArgumentError("Must be a duration with a unit: 30d, 12h, 90m or 45s.");
  }
  return length;
}

/** The longest that a timer takes: a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds, of something that a timer ends. @example parseTimeout("45s") // 45000 */
export function parseTimeout(text: string): number {
  const length = parseDuration(text);
  if (length > LONGEST_TIMER_MS) throw new InvalidArgumentError("Must be 24d or less.");
  return length;
}

/** Bytes. @example parseSize("16mb") // 16777216 */
export function parseSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(b|kb|mb|gb)?$/.exec(text.trim().toLowerCase());
  const size = match && Number(match[1]) * UNIT_BYTES[(match[2] ?? "b") as keyof typeof UNIT_BYTES];
  if (!size) {
    throw new InvalidArgumentError("Must be a size with a unit: 512kb, 16mb or 1gb.");
  }
  return Math.floor(size);
}

/** What Node and the SDK take by themselves, with some room. */
const LEAST_MEMORY = 128 * UNIT_BYTES.mb;

/** Bytes, of a build's process. @example parseProcessMemory("512mb") // 536870912 */
export function parseProcessMemory(text: string): number {
  const size = parseSize(text);
  if (size < LEAST_MEMORY) throw new InvalidArgumentError("Must be 128mb or more.");
  return size;
}

/**
 * One more origin of a page, as browsers send it; `*` for every page.
 *
 * @example parseOrigin("https://app.example", []) // ["https://app.example"]
 */
export function parseOrigin(text: string, before: readonly string[] = []): readonly string[] {
  const near = originOf(text);
  if (text === "*" || near === text) return [...before, text];
  const advice = near === undefined ? "such as https://app.example." : `Write ${near}.`;
  throw new InvalidArgumentError(`An origin is a scheme, a host and a port: ${advice}`);
}

function originOf(text: string): string | undefined {
  const url = text.includes("*") ? null : URL.parse(text);
  if (url === null || url.host === "") return undefined;
  // Only the web's own schemes have an origin there, but applications and extensions send theirs.
  return url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin;
}

/** Both ends included. @example parseUserRange("60578-61183") // { first: 60578, last: 61183 } */
export function parseUserRange(
  text: string,
): { readonly first: number; readonly last: number } | "none" {
  if (text === "none") return text;
  const match = /^(\d{1,10})-(\d{1,10})$/.exec(text);
  const [first, last] = [Number(match?.[1]), Number(match?.[2])];
  // 0 is root, and the last number of 32 bits means "leave it" to the system.
  if (!match || first < 1 || first > last || last > 0xff_ff_ff_fe) {
    throw new InvalidArgumentError("Must be a range of user ids, such as 60578-61183, or none.");
  }
  return { first, last };
}

/** More names of variables. @example parseVariableNames("A,B", []) // ["A", "B"] */
export function parseVariableNames(
  text: string,
  before: readonly string[] = [],
): readonly string[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  for (const name of names) {
    const fault = variableNameFault(name);
    if (fault !== undefined) throw new InvalidArgumentError(`${shownValue(name)}: ${fault}.`);
  }
  return [...before, ...names];
}

/** @example parseWholeNumber("1000") // 1000 */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new InvalidArgumentError("Must be a whole number, 0 or more.");
  }
  return Number(text);
}

/** @example parsePositiveNumber("1000") // 1000 */
export function parsePositiveNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new InvalidArgumentError("Must be a whole number, 1 or more.");
  }
  return Number(text);
}
