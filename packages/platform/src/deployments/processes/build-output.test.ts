import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, it } from "vitest";
import { OutputSecrets, readLines } from "./build-output.ts";

const SECRET = "hunter2-secret-of-the-build";

function secretsOf(...values: string[]): OutputSecrets {
  const secrets = new OutputSecrets();
  for (const [n, value] of values.entries())
    secrets.take({ agate: "secret", name: `S${n}`, value });
  return secrets;
}

async function linesOf(
  chunks: readonly (string | Buffer)[],
  secrets: OutputSecrets,
  burstBytes = 1e9,
) {
  const lines: string[] = [];
  const stream = new PassThrough();
  const finish = readLines(stream, (line) => lines.push(line), secrets, { burstBytes });
  for (const chunk of chunks) {
    stream.write(chunk);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  finish();
  return lines;
}

it("hides a secret wherever the output is split into chunks", async () => {
  const output = `key=${SECRET}\nünd {"k":"${SECRET}"} ${encodeURIComponent(SECRET)}\nlast ${SECRET}`;
  const expected = ["key=[secret:S0]", 'ünd {"k":"[secret:S0]"} [secret:S0]', "last [secret:S0]"];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(output.length + 2), { maxLength: 6 }), async (cuts) => {
      const bytes = Buffer.from(output);
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(await linesOf(chunks, secretsOf(SECRET))).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

it("hides every line of a secret with several, and its JSON, URL and base64 forms", async () => {
  const key = `-----BEGIN KEY-----\nMIIEvQIBADANBg"kqhkiG9w0\nAQEFAASCBKcwggSj\n-----END KEY-----\n`;
  const secrets = secretsOf(key, "p&ss w'rd");
  const printed = [
    key,
    JSON.stringify({ key }),
    encodeURIComponent("p&ss w'rd"),
    Buffer.from("p&ss w'rd").toString("base64"),
  ];
  const lines = (await linesOf([`${printed.join("\n")}\n`], secrets)).join("\n");
  for (const part of ["MIIEvQ", "AQEFAAS", "p%26ss", "p&ss", "cCZzc"])
    expect(lines).not.toContain(part);
});

it.each([16_384 - 40, 16_384 - 10, 16_384, 16_384 + 4_096 - 10, 16_384 + 4_096, 40_000])(
  "shows no part of a secret that begins at character %i of a line",
  async (length) => {
    const [line = ""] = await linesOf([`${"x".repeat(length)}${SECRET} end\n`], secretsOf(SECRET));
    expect(line).not.toContain("hunter2");
    expect(line.length).toBeLessThan(16_384 + 50);
    expect(line.startsWith("x".repeat(16_000))).toBe(true);
  },
);

it("cuts a line only when it is longer than what is kept", async () => {
  const none = new OutputSecrets();
  expect(await linesOf([`${"x".repeat(16_384)}\n`], none)).toEqual(["x".repeat(16_384)]);
  const [line] = await linesOf([`${"x".repeat(16_385)}\n`], none);
  expect(line).toBe(`${"x".repeat(16_384)} … and 1 characters more`);
});

it("keeps nothing of a line that a gap goes through", async () => {
  const half = SECRET.slice(0, 12);
  const chunks = [`first\nkey=${half}`, `${SECRET.slice(12)}${"x".repeat(200)}`, `${half}\nnext\n`];
  const lines = await linesOf(chunks, secretsOf(SECRET), 120);
  expect(lines.join("\n")).not.toContain(half.slice(0, 8));
  expect(lines[0]).toBe("first");
  expect(lines.join("\n")).toMatch(/bytes of output are missing here/);
});
