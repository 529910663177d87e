import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const program = fileURLToPath(new URL("long-stream.fixture.ts", import.meta.url));

// Measured: 18 MB at most. When each chunk was held until the end, 100,000 of them took 157 MB.
it("a stream of 400,000 chunks runs in a heap of 100 MB, and holds no more at its end than at its start", async () => {
  const options = ["--expose-gc", "--max-old-space-size=100", program, "400000"];
  const { stdout } = await run(process.execPath, options);
  const { bytes, heapMb } = JSON.parse(stdout) as { bytes: number; heapMb: number[] };
  expect(bytes).toBeGreaterThan(300_000_000);
  // The recorded output is held twice, by the call and by the function: at most 1 MiB of text each.
  expect(Math.max(...heapMb)).toBeLessThan(heapMb[0]! + 40);
}, 120_000);
