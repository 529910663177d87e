/** More than any link that was made here can hold: a short text can unpack to gigabytes. */
const MAX_UNPACKED_BYTES = 8 * 1024 * 1024;

/** A JSON value as a short text of letters, digits, `-` and `_`, which may stand in an address. */
export async function packJson(value: unknown): Promise<string> {
  const text = new Blob([JSON.stringify(value)]);
  const bytes = await bytesOf(text.stream().pipeThrough(new CompressionStream("deflate-raw")));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @throws Error for a text that {@link packJson} has not made. */
export async function unpackJson(packed: string): Promise<unknown> {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const text = new TextDecoder("utf-8", { fatal: true }).decode(await bytesOf(stream));
  return JSON.parse(text);
}

async function bytesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.byteLength;
    if (size > MAX_UNPACKED_BYTES) {
      await reader.cancel();
      throw new Error("The packed value is too large.");
    }
    parts.push(value);
  }
}
