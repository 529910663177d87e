import { expect, it } from "vitest";
import { LiveClient } from "./live-client.ts";

const KILOBYTE = Buffer.alloc(1024, "x");

it("keeps a bounded amount for a slow reader, and tells it how much it missed", async () => {
  const client = new LiveClient(() => {});
  client.connected();
  for (let n = 0; n < 10_000; n++) client.push(KILOBYTE, 1);
  client.end();
  const received: string[] = [];
  for await (const bytes of client) received.push(Buffer.from(bytes).toString());
  expect(received.shift()).toContain("connected");
  const last = received.pop() ?? "";
  const missed = Number(/^event: lagged\ndata: \{"missed":(\d+)\}\n\n$/.exec(last)?.[1]);
  expect(received.length).toBeLessThanOrEqual(1024);
  expect(received.length + missed).toBe(10_000);
});

it("takes a single event of any size", async () => {
  const client = new LiveClient(() => {});
  client.push(Buffer.alloc(5 * 1024 * 1024), 1);
  expect((await client.next()).value?.length).toBe(5 * 1024 * 1024);
});

it("ends once, for a reader that waits and for one that leaves", async () => {
  let ended = 0;
  const client = new LiveClient(() => {
    ended++;
  });
  const waiting = client.next();
  client.end();
  expect((await waiting).done).toBe(true);
  expect((await client.return()).done).toBe(true);
  client.push(KILOBYTE, 1);
  expect((await client.next()).done).toBe(true);
  expect(ended).toBe(1);
});
