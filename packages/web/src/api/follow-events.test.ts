import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "./api-error.ts";
import { Connection } from "./connection.ts";
import { followTraces } from "./follow-events.ts";
import { PlatformClient } from "./platform-client.ts";

const stop = { signal: new AbortController() };

beforeEach(() => {
  vi.useFakeTimers();
  stop.signal = new AbortController();
});
afterEach(() => {
  stop.signal.abort();
  vi.useRealTimers();
});

/** The platform's answers, in order; after the last one no answer comes. */
function follow(answers: readonly (Response | Error)[]) {
  const left = [...answers];
  const heard: string[] = [];
  const client = new PlatformClient(new Connection(), null);
  vi.spyOn(client, "open").mockImplementation(async () => {
    const answer = left.shift() ?? new Promise<never>(() => undefined);
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const done = followTraces(
    client,
    {
      opened: () => heard.push("opened"),
      changed: ({ name }) => heard.push(name),
      unmatched: (traceId) => heard.push(`not ${traceId}`),
      lagged: () => heard.push("lagged"),
      broken: () => heard.push("broken"),
    },
    stop.signal.signal,
  );
  return { heard, done };
}

const events = (...texts: readonly string[]) => new Response(texts.join(""));

it("passes events on, and opens the stream again when it ends", async () => {
  const { heard } = follow([
    events(
      'event: trace\ndata: {"name":"a"}\n\n',
      'event: update\ndata: {"name":"b"}\n\n',
      'event: unmatched\ndata: {"trace_id":"c"}\n\n',
      'event: lagged\ndata: {"missed":3}\n\n',
      'event: news\ndata: {"name":"of another version"}\n\n',
    ),
    events(),
  ]);
  await vi.waitFor(() => expect(heard).toEqual(["opened", "a", "b", "not c", "lagged", "broken"]));
  await vi.advanceTimersByTimeAsync(1000);
  expect(heard.slice(6)).toEqual(["opened", "broken"]);
});

it("reports a 404 once, and does not reconnect", async () => {
  const { heard, done } = follow([new ApiError(404, null), events()]);
  await done;
  expect(heard).toEqual(["broken"]);
});

it.each([429, 500, 503])("reconnects after a %d", async (status) => {
  const { heard } = follow([new ApiError(status, null), events()]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(heard).toEqual(["broken", "opened", "broken"]);
});

it("ends without an event where the key may not read", async () => {
  const { heard, done } = follow([new ApiError(403, null)]);
  await done;
  expect(heard).toEqual([]);
});
