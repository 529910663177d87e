import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";

/** Runs `program` through runProcess, as start.mjs does. */
function run(program: string): ChildProcess {
  const runner = `
    import { runProcess } from ${JSON.stringify(join(import.meta.dirname, "run-process.mjs"))};
    const args = ["--input-type=module", "--eval", process.argv[1]];
    const options = { ownGroup: true, samePressMs: 60_000 };
    process.exitCode = await runProcess(process.execPath, args, options);`;
  return spawn(process.execPath, ["--input-type=module", "--eval", runner, program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

it("ends with the program's exit code", async () => {
  const [code] = await once(run("process.exitCode = 7;"), "exit");
  expect(code).toBe(7);
});

it("ends as a shell does when a signal killed the program", async () => {
  const [code] = await once(run('process.kill(process.pid, "SIGKILL");'), "exit");
  expect(code).toBe(128 + 9);
});

it.each(["SIGINT", "SIGTERM"] as const)("hands %s on, once for one keypress", async (signal) => {
  const child = run(`
    let count = 0;
    process.on(${JSON.stringify(signal)}, () => {
      count += 1;
      console.log("signal " + count);
    });
    process.on("SIGHUP", () => process.exit(count));
    setInterval(() => {}, 1000);
    console.log("ready");`);
  if (child.stdout === null) throw new Error("stdout is piped");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("ready");
  child.kill(signal);
  child.kill(signal);
  expect((await lines.next()).value).toBe("signal 1");
  child.kill(signal);
  child.kill("SIGHUP");
  const [code] = await once(child, "exit");
  expect(code).toBe(1);
});
