import { ApiFailure } from "./api-failure.ts";
import { connectionFailure } from "./connection-failure.ts";

/** The text of an answer as it comes. */
export async function* bodyText(response: Response, url: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of bodyBytes(response, url)) yield decoder.decode(bytes, { stream: true });
}

/** The bytes of an answer as they come. */
export async function* bodyBytes(response: Response, url: string): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  try {
    yield* response.body;
  } catch (error) {
    // `terminated` has no cause of its own when the server goes away in the middle.
    if (error instanceof TypeError && error.cause === undefined) {
      throw new ApiFailure(url, { kind: "broken-off" }, { cause: error });
    }
    throw connectionFailure(url, error);
  }
}

/** Its lines, without their ends: CR LF, LF or CR. Whatever follows the last one is left out. */
export async function* bodyLines(response: Response, url: string): AsyncGenerator<string> {
  // A line may come in thousands of pieces: none is looked at twice.
  let begun: string[] = [];
  let endedWithCr = false;
  for await (const text of bodyText(response, url)) {
    const piece = endedWithCr && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") endedWithCr = text.endsWith("\r");
    const [first = "", ...further] = piece.split(/\r\n|\n|\r/);
    begun.push(first);
    for (const line of further) {
      yield begun.join("");
      begun = [line];
    }
  }
}
