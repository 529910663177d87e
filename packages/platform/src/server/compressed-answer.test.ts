import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packFrame } from "../stores/segments/segment-frame.ts";
import type { Answer, AnswerHeaders } from "./answer.ts";
import { JSON_TYPE } from "./answer.ts";
import { LEAST_BYTES, MOST_UNPACKED_AT_ONCE } from "./compressed-answer.ts";
import { createDelivery } from "./send-answer.ts";
import { sendRequest } from "./testing/send-request.fixture.ts";

/** What the server answers every request with. */
let answer: Answer;
const deliver = createDelivery(pino({ level: "silent" }));
const server = createServer((_, outgoing) => void deliver(answer, outgoing));
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => server.close());

function send(accepted?: string, method = "GET") {
  const headers = accepted === undefined ? {} : { "accept-encoding": accepted };
  return sendRequest((server.address() as AddressInfo).port, { method, path: "/", headers });
}

function full(body: string, contentType = JSON_TYPE, headers?: AnswerHeaders): Answer {
  return { kind: "full", status: 200, contentType, body, ...(headers && { headers }) };
}

function stream(chunks: () => AsyncIterable<Uint8Array>, contentType = JSON_TYPE): Answer {
  return { kind: "stream", status: 200, contentType, open: chunks };
}

/** JSON of exactly so many bytes. */
const jsonOf = (bytes: number) => JSON.stringify("é".padEnd(bytes - 3, "lorem ipsum "));

const UNPACK = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
} as const;

describe.each(Object.entries(UNPACK))("a client that takes %s", (coding, unpack) => {
  it.each([LEAST_BYTES, 100_000, 5_000_000])("gets %i bytes compressed", async (bytes) => {
    answer = full(jsonOf(bytes));
    const { status, headers, body } = await send(coding);
    expect([status, headers["content-encoding"]]).toEqual([200, coding]);
    expect(headers["content-length"]).toBe(String(body.length));
    expect(body.length).toBeLessThan(bytes);
    expect(unpack(body).toString()).toBe(jsonOf(bytes));
    const head = await send(coding, "HEAD");
    expect(head.headers["content-length"]).toBe(String(body.length));
  });

  it.each([0, 1, 7, 200])("gets a stream of %i chunks compressed", async (count) => {
    const chunk = Buffer.from(jsonOf(70_000));
    answer = stream(async function* () {
      for (let n = 0; n < count; n++) yield chunk;
    });
    const { headers, body } = await send(coding);
    expect(headers["content-encoding"]).toBe(coding);
    expect(unpack(body).equals(Buffer.concat(Array(count).fill(chunk)))).toBe(true);
  });

  it("sees that a stream is broken off, and never half of it as whole", async () => {
    answer = stream(async function* () {
      yield Buffer.from(jsonOf(500_000));
      throw new Error("The disk is gone");
    });
    await expect(send(coding)).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("ends what makes a stream when it leaves", async () => {
    const left = Promise.withResolvers<void>();
    // Random: what compresses well is never waited for.
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    answer = stream(async function* () {
      try {
        for (;;) yield noise;
      } finally {
        left.resolve();
      }
    });
    const leaving = new AbortController();
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      headers: { "accept-encoding": coding },
      signal: leaving.signal,
    });
    expect(response.headers.get("content-encoding")).toBe(coding);
    leaving.abort();
    await left.promise;
  });
});

it.each([
  ["a body below the least size", full(jsonOf(LEAST_BYTES - 1)), "zstd, gzip"],
  ["a client that takes none", full(jsonOf(5_000)), "identity"],
  ["a client that takes others", full(jsonOf(5_000)), "compress, deflate"],
  ["an archive", full(jsonOf(5_000), "application/gzip"), "gzip"],
  ["a tagged answer", full(jsonOf(5_000), JSON_TYPE, { etag: '"a"' }), "gzip"],
  [
    "events",
    stream(async function* () {
      yield Buffer.from(jsonOf(5_000));
    }, "text/event-stream"),
    "gzip",
  ],
])("leaves %s as it is", async (_, given, accepted) => {
  answer = given;
  const { headers, body } = await send(accepted);
  expect(headers).not.toHaveProperty("content-encoding");
  expect(body.toString()).toMatch(/^"élorem/);
});

it.each([
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip, deflate, br", "br"],
  ["gzip, br;q=0.9", "gzip"],
])(
  "has for %s the coding %s, and tells caches of what may be kept that there are several",
  async (accepted, coding) => {
    answer = full(jsonOf(5_000), "text/html", { "cache-control": "no-cache" });
    expect((await send(accepted)).headers).toMatchObject({
      "content-encoding": coding,
      vary: "accept-encoding",
    });
  },
);

describe("an answer that is stored as a zstd frame", () => {
  const SIZES = [
    100,
    LEAST_BYTES - 1,
    LEAST_BYTES,
    MOST_UNPACKED_AT_ONCE,
    MOST_UNPACKED_AT_ONCE + 1,
  ];
  /** Since the last call of {@link packed}. */
  let sent = 0;
  function packed(bytes: number): Answer {
    sent = 0;
    const body = packFrame(Buffer.from(jsonOf(bytes)));
    const onSent = () => void sent++;
    return { kind: "full", status: 200, contentType: JSON_TYPE, body, coding: "zstd", onSent };
  }

  it.each(SIZES)("goes to clients that take zstd as it is: %i bytes", async (bytes) => {
    answer = packed(bytes);
    const { headers, body } = await send("gzip, zstd");
    expect(headers["content-encoding"]).toBe("zstd");
    expect(body).toEqual(Buffer.from((answer as { body: Uint8Array }).body));
    expect(zstdDecompressSync(body).toString()).toBe(jsonOf(bytes));
    await expect.poll(() => sent).toBe(1);
  });

  it.each(SIZES)("goes to others unpacked: %i bytes", async (bytes) => {
    for (const accepted of [undefined, "identity", "deflate", "zstd;q=0"]) {
      answer = packed(bytes);
      const { headers, body } = await send(accepted);
      expect(headers["content-encoding"]).toBeUndefined();
      expect(headers["content-length"]).toBe(String(bytes));
      expect(body.toString()).toBe(jsonOf(bytes));
      await expect.poll(() => sent).toBe(1);
    }
  });

  it.each(SIZES)("goes to clients that take another coding in that: %i bytes", async (bytes) => {
    for (const coding of ["br", "gzip"] as const) {
      answer = packed(bytes);
      const { headers, body } = await send(coding);
      const isCompressed = bytes >= LEAST_BYTES;
      expect(headers["content-encoding"]).toBe(isCompressed ? coding : undefined);
      expect((isCompressed ? UNPACK[coding](body) : body).toString()).toBe(jsonOf(bytes));
      await expect.poll(() => sent).toBe(1);
    }
  });
});
