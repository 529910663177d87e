import { bodyLines } from "./body-stream.ts";

/** A server-sent event. */
export interface StreamedEvent {
  readonly event: string;
  readonly data: string;
}

/** The events of a `text/event-stream`. One that the stream ends in the middle of is left out. */
export async function* readEvents(response: Response, url: string): AsyncGenerator<StreamedEvent> {
  let event = "";
  let data: string[] = [];
  for await (const line of bodyLines(response, url)) {
    if (line === "") {
      if (data.length > 0) yield { event: event || "message", data: data.join("\n") };
      event = "";
      data = [];
      continue;
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
}
