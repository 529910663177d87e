/** The lines of an answer, as they arrive: for NDJSON. Empty ones are left out. */
export async function* readLines(response: Response): AsyncGenerator<string, void> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = `${rest}${value}`.split("\n");
      rest = lines.pop() ?? "";
      yield* lines.filter((line) => line !== "");
    }
    if (rest !== "") yield rest;
  } finally {
    // Left early: the server should not go on sending.
    await reader.cancel().catch(() => undefined);
  }
}
