import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchChanges } from "./use-application-changes.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A platform whose streams the test writes and ends. */
function fakePlatform() {
  const streams: { send(text: string): void; end(): void }[] = [];
  const paths: string[] = [];
  let isAway = false;
  return {
    streams,
    paths,
    away: (now: boolean) => {
      isAway = now;
    },
    client: {
      async open(_: string, path: string): Promise<Response> {
        paths.push(path);
        if (isAway) throw new Error("away");
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
        const writer = writable.getWriter();
        streams.push({
          send: (text) => void writer.write(new TextEncoder().encode(text)),
          end: () => void writer.close(),
        });
        return new Response(readable);
      },
    },
  };
}

describe("watchChanges", () => {
  it("calls back at the connection and at every event about configurations", async () => {
    const { client, streams, paths } = fakePlatform();
    const onChange = vi.fn();
    const end = new AbortController();
    void watchChanges(client, "a b", onChange, end.signal);
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1));
    expect(paths).toEqual(["/registry/applications/a%20b/changes"]);
    streams[0]?.send(": still here\n\nevent: other\ndata: {}\n\nevent: config\ndata: {}\n\n");
    await vi.waitFor(() => expect(onChange.mock.calls).toEqual([["connection"], ["event"]]));
    end.abort();
  });

  it("connects again when the stream ends, and looks meanwhile", async () => {
    const { client, streams, away } = fakePlatform();
    const onChange = vi.fn();
    const end = new AbortController();
    void watchChanges(client, "app", onChange, end.signal);
    await vi.waitFor(() => expect(streams).toHaveLength(1));
    away(true);
    streams[0]?.end();
    const soon = { timeout: 60_000 };
    await vi.waitFor(() => expect(onChange.mock.calls.length).toBeGreaterThanOrEqual(4), soon);
    away(false);
    await vi.waitFor(() => expect(streams).toHaveLength(2), soon);
    end.abort();
  });

  it("stops when it is aborted", async () => {
    const { client, streams, paths } = fakePlatform();
    const end = new AbortController();
    const watching = watchChanges(client, "app", () => {}, end.signal);
    await vi.waitFor(() => expect(streams).toHaveLength(1));
    end.abort();
    streams[0]?.end();
    await watching;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(paths).toHaveLength(1);
  });
});
