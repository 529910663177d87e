/** What a platform says of the spans that it did not take. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

interface Field {
  readonly number: number;
  readonly value: number | Uint8Array;
}

const RESPONSE = { partialSuccess: 1 };
const PARTIAL_SUCCESS = { rejectedSpans: 1, errorMessage: 2 };
const LONGEST_VARINT = 10;

/** Decodes OTLP's ExportTraceServiceResponse; null where the bytes are something else. */
export function decodeExportResponse(bytes: Uint8Array): PartialSuccess | null {
  let rejected = 0;
  let message = "";
  const fields = fieldsOf(bytes);
  if (fields === null) return null;
  for (const { number, value } of fields) {
    if (number !== RESPONSE.partialSuccess || typeof value === "number") continue;
    const inner = fieldsOf(value);
    if (inner === null) return null;
    for (const { number, value } of inner) {
      if (typeof value === "number") {
        if (number === PARTIAL_SUCCESS.rejectedSpans) rejected = value;
      } else if (number === PARTIAL_SUCCESS.errorMessage) {
        message = new TextDecoder().decode(value);
      }
    }
  }
  return { rejected, message };
}

/** Its varints as numbers, its texts and messages as bytes; of others, zero. Null if malformed. */
function fieldsOf(bytes: Uint8Array): Field[] | null {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let index = 0; index < LONGEST_VARINT; index++) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * 128 ** index;
      if (byte < 0x80) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    let value: Field["value"] = 0;
    switch (tag % 8) {
      case 0:
        value = varint();
        break;
      case 1:
        at += 8;
        break;
      case 2: {
        const length = varint();
        value = bytes.subarray(at, at + length);
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        return null;
    }
    if (!(at <= bytes.length) || Number.isNaN(value) || tag < 8) return null;
    fields.push({ number: Math.floor(tag / 8), value });
  }
  return fields;
}
