import { Buffer } from "node:buffer";

// Proto3's JSON form of scalars. Each function gives null for a value that is not of its type.

/** A 64-bit integer, as a number or in digits: a number where that is exact, else a bigint. */
export function parseInt64(value: unknown): number | bigint | null {
  // A number of more digits than a double holds.
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value ? value : Number(value);
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return null;
    // Adding 0 turns -0 into 0.
    if (Number.isSafeInteger(value)) return value + 0;
    // The OpenTelemetry JS exporter writes every whole number as intValue, 1e300 too.
    return value >= -(2 ** 63) && value < 2 ** 63 ? BigInt(value) : value;
  }
  // The length is bounded because BigInt takes quadratic time for long digits.
  if (typeof value !== "string" || !/^-?\d{1,20}$/.test(value)) return null;
  const exact = BigInt(value);
  if (BigInt.asIntN(64, exact) !== exact) return null;
  const near = Number(exact);
  return Number.isSafeInteger(near) ? near : exact;
}

/** An unsigned 32-bit integer, as a number or in digits. */
export function parseUint32(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number)) return null;
  return number >= 0 && number <= 0xffff_ffff ? number + 0 : null;
}

/** A double, as a number, in digits, or as one of the names that JSON has no number for. */
export function parseDouble(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string") return null;
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return Number(value);
  return value === "NaN" || value === "Infinity" || value === "-Infinity" ? Number(value) : null;
}

/** Bytes in base64, with either alphabet, padded or not. */
export function parseBase64(value: unknown): Uint8Array | null {
  if (typeof value !== "string" || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) return null;
  // Out of Buffer's shared pool, which would keep 8 KB alive for a few bytes.
  return new Uint8Array(Buffer.from(value, "base64"));
}

/**
 * An id as lower-case hex. OTLP has hex ids; exporters that follow proto3's rule for bytes send 16
 * or 8 bytes in padded base64, which cannot be mistaken for hex.
 */
export function parseHexId(text: string): string | null {
  if (/^[0-9a-fA-F]*$/.test(text)) return text.toLowerCase();
  if (/^(?:[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{11}=)$/.test(text)) {
    return Buffer.from(text, "base64").toString("hex");
  }
  return null;
}
