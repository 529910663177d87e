import { request } from "node:http";
import type { Socket } from "node:net";
import fc from "fast-check";
import { expect, it } from "vitest";
import { MalformedResponse, type ResponseHead } from "./response-head.ts";
import { ResponseReader } from "./response-reader.ts";
import { serveBytes } from "./testing/socket-service.fixture.ts";

interface Reading {
  readonly status: number;
  readonly body: string;
  readonly trailers: readonly (readonly [string, string])[];
  readonly headers: readonly string[];
}

/** Reads a response in pieces, then the end of the connection. Undefined where it is not a whole one. */
function read(pieces: readonly Buffer[], method = "GET"): Reading | undefined {
  let head: ResponseHead | undefined;
  let body = "";
  let trailers: readonly (readonly [string, string])[] = [];
  const reader = new ResponseReader(method, {
    onInformation: () => {},
    onHead: (found) => {
      head = found;
    },
    onBody: (bytes) => {
      body += bytes.toString("latin1");
    },
    onEnd: (found) => {
      trailers = found;
    },
  });
  try {
    for (const piece of pieces) reader.push(piece);
  } catch (error) {
    if (error instanceof MalformedResponse) return undefined;
    throw error;
  }
  if (!reader.finish() || head === undefined) return undefined;
  return { status: head.status, body, trailers, headers: head.headers };
}

const CONNECTION_HEADERS = new Set(["connection", "keep-alive", "transfer-encoding", "set-cookie"]);

/** The same by Node's own client. */
function readByNode(socketPath: string): Promise<Reading | undefined> {
  return new Promise((resolve) => {
    const asking = request({ socketPath, agent: false, path: "/" }, (answer) => {
      let body = "";
      answer.setEncoding("latin1");
      answer.on("data", (text: string) => {
        body += text;
      });
      answer.on("error", () => resolve(undefined));
      answer.on("end", () => {
        const { rawHeaders, rawTrailers, statusCode = 0 } = answer;
        const headers = rawHeaders.filter(
          (_, n) => !CONNECTION_HEADERS.has((rawHeaders[n - (n % 2)] as string).toLowerCase()),
        );
        const trailers = rawTrailers.flatMap((name, n) =>
          n % 2 === 0 ? [[name, rawTrailers[n + 1] as string] as const] : [],
        );
        resolve({ status: statusCode, body, trailers, headers });
      });
    });
    asking.on("upgrade", (_, socket) => {
      socket.destroy();
      resolve(undefined);
    });
    asking.on("error", () => resolve(undefined));
    asking.end();
  });
}

const fieldName = fc
  .stringMatching(/^[A-Za-z][\w-]{0,12}$/)
  .filter(
    (name) =>
      !/^(?:connection|keep-alive|transfer-encoding|content-length|upgrade|te|set-cookie|proxy-.*)$/i.test(
        name,
      ),
  );
const fieldValue = fc.stringMatching(/^(?:[!-~\xa1-\xff](?:[ -~\xa1-\xff]{0,20}[!-~])?)?$/);
const field = fc.tuple(fieldName, fieldValue);
const lines = (fields: readonly (readonly [string, string])[]) =>
  fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
// Without those that never have a body: what followed them would be another message.
const status = fc.integer({ min: 200, max: 599 }).filter((n) => n !== 204 && n !== 304);

/** A well-formed response, as latin1. */
const response = fc
  .record({
    status,
    fields: fc.array(field, { maxLength: 5 }),
    chunks: fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 300 }), { maxLength: 5 }),
    framing: fc.constantFrom("length", "chunked", "until-close"),
    extension: fc.constantFrom("", ";a", ";name=value", ';q="x"'),
    trailers: fc.array(field, { maxLength: 3 }),
    before: fc.constantFrom(
      "",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
    ),
  })
  .map(({ status, fields, chunks, framing, extension, trailers, before }) => {
    const body = chunks.map((chunk) => Buffer.from(chunk).toString("latin1"));
    const head = `${before}HTTP/1.1 ${status} Some Phrase\r\n${lines(fields)}`;
    const whole = body.join("");
    if (framing === "length") return `${head}Content-Length: ${whole.length}\r\n\r\n${whole}`;
    if (framing === "until-close") return `${head}Connection: close\r\n\r\n${whole}`;
    const coded = body.map((c) => `${c.length.toString(16)}${extension}\r\n${c}\r\n`).join("");
    return `${head}Transfer-Encoding: chunked\r\n\r\n${coded}0\r\n${lines(trailers)}\r\n`;
  });

const cuts = fc.array(fc.nat(), { maxLength: 12 });

function cut(text: string, at: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, "latin1");
  const points = [0, ...at.map((n) => n % (bytes.length + 1)).toSorted((a, b) => a - b)];
  return points.map((from, n) => bytes.subarray(from, points[n + 1]));
}

it("reads every response as Node's client does, however it is cut into pieces", async () => {
  let text = "";
  const { socketPath } = await serveBytes((socket: Socket) => {
    socket.once("data", () => socket.end(text, "latin1"));
  });
  await fc.assert(
    fc.asyncProperty(response, cuts, async (sent, at) => {
      text = sent;
      const expected = await readByNode(socketPath);
      expect(expected).toBeDefined();
      expect(read(cut(sent, at))).toEqual(expected);
    }),
    { numRuns: 150 },
  );
});

it("never takes for whole what Node's client refuses, nor reads it otherwise", async () => {
  let text = "";
  const { socketPath } = await serveBytes((socket: Socket) => {
    socket.once("data", () => socket.end(text, "latin1"));
  });
  const damage = fc.record({
    at: fc.nat(),
    remove: fc.nat({ max: 3 }),
    insert: fc.constantFrom(
      "",
      "\r",
      "\n",
      "\r\n",
      " ",
      ":",
      "0",
      "f",
      "\0",
      "\x80",
      ";",
      "Content-Length: 3\r\n",
      "Transfer-Encoding: chunked\r\n",
      "Transfer-Encoding: gzip\r\n",
    ),
  });
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(response, damage, cuts, async (sent, { at, remove, insert }, pieces) => {
      const from = at % sent.length;
      text = sent.slice(0, from) + insert + sent.slice(from + remove);
      const ours = read(cut(text, pieces));
      if (ours === undefined) refused++;
      else expect(ours).toEqual(await readByNode(socketPath));
    }),
    { numRuns: 500 },
  );
  expect(refused).toBeGreaterThan(100);
});

it.each([
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok, and more"],
  ["HTTP/1.1 200 OK\r\nA: b\r\n folded\r\nContent-Length: 0\r\n\r\n"],
  ["HTTP/1.1 200 OK\r\nA : b\r\nContent-Length: 0\r\n\r\n"],
  ["HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"],
  ["HTTP/2 200\r\nContent-Length: 0\r\n\r\n"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok.\r\n0\r\n\r\n"],
  [`HTTP/1.1 200 OK\r\nA: ${"x".repeat(70_000)}\r\nContent-Length: 0\r\n\r\n`],
  [
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;${"x".repeat(2_000)}\r\nok\r\n0\r\n\r\n`,
  ],
  ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"],
])("refuses %j", (text) => {
  expect(read([Buffer.from(text, "latin1")])).toBeUndefined();
});

it("reads no body for statuses and methods without one, also with a length in the head", () => {
  const head = "Content-Length: 10\r\n\r\n";
  for (const [status, method] of [
    [200, "HEAD"],
    [204, "GET"],
    [304, "GET"],
  ] as const) {
    const whole = read([Buffer.from(`HTTP/1.1 ${status} X\r\n${head}`)], method);
    expect(whole).toMatchObject({ status, body: "" });
  }
});
