import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "./api-error.ts";
import { Connection } from "./connection.ts";
import { retryDelay } from "./follow-events.ts";
import { followTraces } from "./follow-traces.ts";
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

/** What a platform answers, one after the other; after the last one nothing comes. */
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
      lagged: () => heard.push("lagged"),
      broken: () => heard.push("broken"),
    },
    stop.signal.signal,
  );
  return { heard, done };
}

const events = (...texts: readonly string[]) => new Response(texts.join(""));

it("tells what changes, and opens the stream again when it ends", async () => {
  const { heard } = follow([
    events(
      'event: trace\ndata: {"name":"a"}\n\n',
      'event: update\ndata: {"name":"b"}\n\n',
      'event: lagged\ndata: {"missed":3}\n\n',
      'event: news\ndata: {"name":"of another version"}\n\n',
    ),
    events(),
  ]);
  await vi.waitFor(() => expect(heard).toEqual(["opened", "a", "b", "lagged", "broken"]));
  await vi.advanceTimersByTimeAsync(1000);
  expect(heard.slice(5)).toEqual(["opened", "broken"]);
});

it("waits longer every time it cannot be opened, but never longer than a quarter of a minute", () => {
  expect([1, 2, 3, 4, 5, 50].map(retryDelay)).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000]);
});

it("tells once that what it follows is not there, and does not ask again", async () => {
  const { heard, done } = follow([new ApiError(404, null), events()]);
  await done;
  expect(heard).toEqual(["broken"]);
});

it.each([429, 500, 503])("asks again after a %d", async (status) => {
  const { heard } = follow([new ApiError(status, null), events()]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(heard).toEqual(["broken", "opened", "broken"]);
});

it("gives up where the reader may not listen", async () => {
  const { heard, done } = follow([new ApiError(403, null)]);
  await done;
  expect(heard).toEqual([]);
});
