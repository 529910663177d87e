import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createChangeFeed } from "../../registry/open-registry.ts";
import type { ChangeFeed, Registry } from "../../registry/registry.ts";
import { done, refused } from "../../registry/registry-outcome.ts";
import { LocalSignals } from "../../stores/registry/registry-signals.ts";
import { ChangeStreams } from "./change-streams.ts";

const WINDOW = 25;
const BEAT = 1000;
const NAME = { ref: { project: "default", application: "shop" }, applicationId: "app_1" };

let signals: LocalSignals;
let listeners: number;
/** What `shop` is called by now: the id of an application. */
let shop: string | undefined;
let streams: ChangeStreams;

beforeEach(() => {
  vi.useFakeTimers();
  shop = "app_1";
  listeners = 0;
  signals = new LocalSignals();
  const changes = createChangeFeed(signals);
  const feed: ChangeFeed = {
    subscribe(id, listener) {
      listeners++;
      const stop = changes.subscribe(id, listener);
      return () => {
        listeners--;
        stop();
      };
    },
  };
  const get = async () =>
    shop === undefined
      ? refused({ type: "application_not_found", loc: [], msg: "" })
      : done({ id: shop, slug: "shop", created_at: "", routes: null, build: null });
  streams = new ChangeStreams({
    registry: { changes: feed, applications: { get } as unknown as Registry["applications"] },
    onError: (error) => {
      throw error;
    },
    windowMs: WINDOW,
    heartbeatMs: BEAT,
  });
});
afterEach(() => {
  streams.close();
  vi.useRealTimers();
});

/** A client that reads as fast as it can; `lines` is what it has read. */
function listen(signal = new AbortController().signal, name = NAME) {
  const lines: string[] = [];
  const read = async () => {
    for await (const bytes of streams.subscribe(name, signal)) {
      lines.push(new TextDecoder().decode(bytes).trim());
    }
    lines.push("end");
  };
  return { lines, ended: read() };
}

function announce(): void {
  signals.announce({ kind: "config", applicationId: "app_1" });
}

const EVENT = "event: config\ndata: {}";

describe("streams of changes", () => {
  it("begin with a comment, and tell what happens within the window after the first change", async () => {
    const { lines } = listen();
    await vi.advanceTimersByTimeAsync(0);
    expect(lines).toEqual([": connected"]);
    announce();
    await vi.advanceTimersByTimeAsync(WINDOW - 1);
    announce();
    expect(lines).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(lines.slice(1)).toEqual([EVENT]);
    announce();
    await vi.advanceTimersByTimeAsync(WINDOW);
    expect(lines.slice(1)).toEqual([EVENT, EVENT]);
  });

  it("tell every client of an application, and no other", async () => {
    const other = { ref: { ...NAME.ref, application: "other" }, applicationId: "app_2" };
    const clients = [listen(), listen(), listen(undefined, other)];
    announce();
    await vi.advanceTimersByTimeAsync(WINDOW);
    expect(clients.map(({ lines }) => lines.includes(EVENT))).toEqual([true, true, false]);
  });

  it("have a comment now and then", async () => {
    const { lines } = listen();
    await vi.advanceTimersByTimeAsync(3 * BEAT);
    expect(lines).toEqual([": connected", ...Array(3).fill(": still here")]);
  });

  it("keep one event for a client that does not read, however much happens", async () => {
    const gone = new AbortController();
    const body = streams.subscribe(NAME, gone.signal)[Symbol.asyncIterator]();
    const texts = [text((await body.next()).value)];
    for (let n = 0; n < 1000; n++) {
      announce();
      await vi.advanceTimersByTimeAsync(BEAT);
    }
    gone.abort();
    for (let next = await body.next(); !next.done; next = await body.next()) {
      texts.push(text(next.value));
    }
    expect(texts).toEqual([": connected", EVENT]);
  });

  it("end when the application is gone, or called otherwise, after saying so", async () => {
    for (const now of [undefined, "app_2"]) {
      shop = "app_1";
      const { lines, ended } = listen();
      await vi.advanceTimersByTimeAsync(0);
      shop = now;
      announce();
      await vi.advanceTimersByTimeAsync(WINDOW);
      await ended;
      expect(lines).toEqual([": connected", EVENT, "end"]);
    }
  });

  it("end at once if the application was deleted before the subscription", async () => {
    shop = undefined;
    const { lines, ended } = listen();
    await vi.advanceTimersByTimeAsync(0);
    await ended;
    expect(lines).toEqual([": connected", "end"]);
  });

  it("end when all is closed, and later ones at once", async () => {
    const { lines, ended } = listen();
    await vi.advanceTimersByTimeAsync(0);
    streams.close();
    await ended;
    expect(lines).toEqual([": connected", "end"]);
    const late = listen();
    await late.ended;
    expect(late.lines).toEqual([": connected", "end"]);
    expect(listeners).toBe(0);
  });

  it("leave nothing behind when their clients have gone", async () => {
    const gone = new AbortController();
    const clients = [listen(gone.signal), listen(gone.signal)];
    await vi.advanceTimersByTimeAsync(0);
    expect(listeners).toBe(1);
    announce();
    gone.abort();
    await Promise.all(clients.map(({ ended }) => ended));
    expect(listeners).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    await listen(gone.signal).ended;
    expect(listeners).toBe(0);
  });
});

function text(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes).trim();
}
