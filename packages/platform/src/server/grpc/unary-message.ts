/** Before each message: whether it is compressed, and its length in four bytes. */
const PREFIX_BYTES = 5;

export type MessageFault =
  /** The length that the client names is over the limit. */
  | "too-large"
  /** The first byte is neither 0 nor 1. */
  | "bad-prefix"
  /** More bytes than those of one message. */
  | "several"
  /** The stream ended before the message did. */
  | "incomplete";

export type MessageEnd =
  | { readonly kind: "message"; readonly isCompressed: boolean; readonly bytes: Message }
  | { readonly kind: "fault"; readonly fault: MessageFault };

/** In memory of its own, so that it can be moved to another thread. */
type Message = Uint8Array<ArrayBuffer>;

/**
 * Puts the one message of a unary gRPC call together, however its bytes are split. Memory grows with
 * the bytes that have arrived, not with the length that the client names.
 */
export class UnaryMessage {
  readonly #limit: number;
  readonly #prefix = new Uint8Array(PREFIX_BYTES);
  readonly #chunks: Uint8Array[] = [];
  #prefixLength = 0;
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The bytes of the message so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds what has arrived. @returns what is wrong with it; the rest of the call is of no use then. */
  push(chunk: Uint8Array): MessageFault | undefined {
    const wasRead = this.#prefixLength === PREFIX_BYTES;
    const taken = Math.min(chunk.length, PREFIX_BYTES - this.#prefixLength);
    this.#prefix.set(chunk.subarray(0, taken), this.#prefixLength);
    this.#prefixLength += taken;
    if (this.#prefixLength < PREFIX_BYTES) return undefined;
    if (!wasRead && Number(this.#prefix[0]) > 1) return "bad-prefix";
    if (!wasRead && this.#announced > this.#limit) return "too-large";
    const rest = chunk.subarray(taken);
    this.#length += rest.length;
    if (this.#length > this.#announced) return "several";
    if (rest.length > 0) this.#chunks.push(rest);
    return undefined;
  }

  /** When the client has sent everything. */
  end(): MessageEnd {
    if (this.#prefixLength < PREFIX_BYTES || this.#length < this.#announced) {
      return { kind: "fault", fault: "incomplete" };
    }
    const bytes = new Uint8Array(this.#length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, offset);
      offset += chunk.length;
    }
    return { kind: "message", isCompressed: this.#prefix[0] === 1, bytes };
  }

  get #announced(): number {
    return new DataView(this.#prefix.buffer).getUint32(1);
  }
}

/** A message with its prefix, uncompressed. */
export function frameMessage(message: Uint8Array): Uint8Array {
  const framed = new Uint8Array(PREFIX_BYTES + message.length);
  new DataView(framed.buffer).setUint32(1, message.length);
  framed.set(message, PREFIX_BYTES);
  return framed;
}
