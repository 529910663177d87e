import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { serveGateway } from "./testing/gateway-server.fixture.ts";
import { type Received, type SentRequest, sendRequest } from "./testing/send-request.fixture.ts";
import { serveHttp } from "./testing/socket-service.fixture.ts";

const CONNECTION_HEADERS = new Set(["connection", "date", "keep-alive", "transfer-encoding"]);

const name = fc
  .stringMatching(/^[xX]-[A-Za-z][\w-]{0,10}$/)
  .filter((text) => !/^x-forwarded-/i.test(text));
const value = fc.stringMatching(/^[!-~\xa1-\xff]([ -~\xa1-\xff]{0,30}[!-~\xa1-\xff])?$/);
const headers = fc.array(fc.tuple(name, value), { maxLength: 6 });
const chunk = fc.oneof(
  { weight: 5, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 300 }) },
  // Around what is collected, what is read in one go, and what a socket takes.
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(15_000, 16_384, 17_000, 65_535, 65_536, 65_537, 200_000)
      .map((length) => new Uint8Array(length).map((_, n) => (n * 31) % 251)),
  },
);
const chunks = fc.array(chunk, { maxLength: 4 });
const framing = fc.constantFrom("length", "chunked");

const question = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"),
  path: fc.stringMatching(/^\/[\w/%.-]{0,20}(\?[\w=&%-]{0,20})?$/),
  headers,
  chunks,
  framing,
});
const answer = fc.record({
  status: fc.oneof(fc.constant(200), fc.integer({ min: 200, max: 599 })),
  headers,
  chunks,
  framing,
});

function flat(pairs: readonly (readonly [string, string])[]): string[] {
  return pairs.flat();
}

function bytesIn(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Of a message's headers, those that are not about its connection. */
function endToEnd(raw: readonly string[]): string[] {
  return raw.filter((_, n) => {
    const name = (raw[n - (n % 2)] as string).toLowerCase();
    return !CONNECTION_HEADERS.has(name) && !name.startsWith("x-forwarded-");
  });
}

it("passes requests and answers of any form on unchanged", async () => {
  let reply = (_: ServerResponse): void => {};
  const seen: unknown[] = [];
  const service = await serveHttp(async (incoming: IncomingMessage, outgoing) => {
    const body = await buffer(incoming);
    const { method, url, rawHeaders } = incoming;
    seen.push({ method, url, headers: endToEnd(rawHeaders), body });
    reply(outgoing);
  });
  const { port, problems } = await serveGateway(service);
  await fc.assert(
    fc.asyncProperty(question, answer, async (asked, told) => {
      const isBodyless = /^(?:GET|HEAD|DELETE|OPTIONS)$/.test(asked.method);
      const body = isBodyless ? [] : asked.chunks;
      const lengthOf = (parts: readonly Uint8Array[]) => ["content-length", String(bytesIn(parts))];
      const sent: SentRequest = {
        options: {
          method: asked.method,
          path: asked.path,
          headers: [
            "host",
            "agate.example",
            ...flat(asked.headers),
            ...(isBodyless || asked.framing === "chunked" ? [] : lengthOf(body)),
            ...(!isBodyless && asked.framing === "chunked" ? ["transfer-encoding", "chunked"] : []),
          ],
        },
        body,
      };
      reply = (outgoing) => {
        const hasBody = told.status !== 204 && told.status !== 304;
        const isCounted = hasBody && told.framing === "length";
        outgoing.writeHead(told.status, [
          ...flat(told.headers),
          ...(isCounted ? lengthOf(told.chunks) : []),
        ]);
        if (hasBody) for (const part of told.chunks) outgoing.write(part);
        outgoing.end();
      };
      const direct = await sendTo(sent, { socketPath: service.socketPath });
      const passedOn = await sendTo(sent, { port });
      expect(passedOn).toEqual(direct);
      const [first, second] = seen.splice(0);
      expect(second).toEqual(first);
    }),
    { numRuns: 40 },
  );
  expect(problems).toEqual([]);
  expect(service.leases).toBe(0);
});

async function sendTo(sent: SentRequest, to: { socketPath: string } | { port: number }) {
  const {
    headers: _,
    rawHeaders,
    ...rest
  }: Received = await sendRequest({
    ...sent,
    options: { ...sent.options, ...to },
  });
  return { ...rest, headers: endToEnd(rawHeaders) };
}

const PART = Buffer.alloc(64 * 1024, "x");
const PARTS = 1_024;
/** What sockets and Node's own buffers may hold between two who do not read. */
const BUFFERED_PARTS = PARTS / 2;

it("takes no more from a service than the client reads", async () => {
  let written = 0;
  const service = await serveHttp((incoming, outgoing) => {
    if (incoming.url === "/ping") return outgoing.end();
    const more = (): void => {
      while (written < PARTS) {
        written++;
        if (!outgoing.write(PART)) return;
      }
      outgoing.end();
    };
    outgoing.on("drain", more);
    more();
  });
  const { port } = await serveGateway(service);
  const sending = request({ port }).end();
  const [slow] = (await once(sending, "response")) as [IncomingMessage];
  expect(await stalledAt(() => written, port)).toBeLessThan(BUFFERED_PARTS);
  expect((await buffer(slow)).length).toBe(PARTS * PART.length);
});

it("takes no more from a client than the service reads", async () => {
  const slow = Promise.withResolvers<[IncomingMessage, ServerResponse]>();
  const service = await serveHttp((incoming, outgoing) => {
    if (incoming.url === "/ping") outgoing.end();
    else slow.resolve([incoming, outgoing]);
  });
  const { port } = await serveGateway(service);
  const sending = request({ port, method: "POST" });
  let written = 0;
  const more = (): void => {
    while (written < PARTS) {
      written++;
      if (!sending.write(PART)) return;
    }
    sending.end();
  };
  sending.on("drain", more);
  more();
  const [incoming, outgoing] = await slow.promise;
  expect(await stalledAt(() => written, port)).toBeLessThan(BUFFERED_PARTS);
  const answered = once(sending, "response");
  outgoing.end(String((await buffer(incoming)).length));
  const [answer] = (await answered) as [IncomingMessage];
  expect(String(await buffer(answer))).toBe(String(PARTS * PART.length));
});

/** Waits until a count stays as it is while other requests go through the same gateway. */
async function stalledAt(count: () => number, port: number): Promise<number> {
  for (;;) {
    const before = count();
    for (let n = 0; n < 50; n++) await sendRequest({ options: { port, path: "/ping" } });
    if (count() === before) return before;
  }
}
