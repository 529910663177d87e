import { BaseModel } from "../config/base-model.ts";
import { instrument } from "../tracing/instrument.ts";
import { createApp } from "./create-app.ts";

// Run as a program: streams many chunks to a client that reads all, and prints what the heap holds
// at the middle and at the end, in MB. Its argument is the number of chunks.

class NoConfig extends BaseModel {}

const { gc } = globalThis as { gc?: () => void };
const chunks = Number(process.argv[2]);
const seen: number[] = [];

function look(): void {
  gc?.();
  seen.push(process.memoryUsage().heapUsed / 2 ** 20);
}

// Each chunk is an object of about 1 KB, as models give them with log probabilities.
const numbers = instrument({ name: "numbers" })(async function* () {
  for (let n = 0; n < chunks; n += 1) {
    if (n === 1_000 || n === chunks >> 1 || n === chunks - 1) look();
    await Promise.resolve();
    yield { n, text: `${n} `.repeat(150) };
  }
});

const app = createApp();
app.route(
  "/count",
  NoConfig,
)(async function* () {
  yield* numbers();
});

const answer = await app.fetch(
  new Request("http://workflow.test/playground/run/count", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: "{}",
  }),
);
let bytes = 0;
for await (const part of answer.body!) bytes += part.byteLength;
look();
// biome-ignore lint/suspicious/noConsole: its only way to say something.
console.log(JSON.stringify({ bytes, heapMb: seen.map(Math.round) }));
