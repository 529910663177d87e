export interface ReadOptions {
  /** Is called for every chunk. */
  readonly onChunk?: (() => void) | undefined;
  /** Ends the reading with its reason. Deno does not always end the body of a fetch that was aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The text of a body as it arrives. Leaving the loop cancels the body, so that the server stops sending. */
export async function* readText(
  body: ReadableStream<Uint8Array>,
  { onChunk, signal }: ReadOptions = {},
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const cancel = () =>
    reader.cancel().catch(() => {
      // The body has failed already, and `read` has thrown why.
    });
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      onChunk?.();
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    await cancel();
  }
}

/**
 * The lines of a body as they arrive, without empty ones: for NDJSON. A last line that has no end was
 * cut off, and is left out.
 */
export async function* readLines(
  body: ReadableStream<Uint8Array>,
  options: ReadOptions = {},
): AsyncGenerator<string, void, void> {
  // A line may come in thousands of pieces. They are joined once, so that reading stays linear.
  let pieces: string[] = [];
  for await (const text of readText(body, options)) {
    const [first = "", ...further] = text.split("\n");
    pieces.push(first);
    for (const next of further) {
      const line = pieces.join("");
      pieces = [next];
      if (line !== "") yield line;
    }
  }
}
