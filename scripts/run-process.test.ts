import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";

/** Runs the program that is its argument, as start.mjs does. */
const RUNNER = `
  import { runProcess } from ${JSON.stringify(join(import.meta.dirname, "run-process.mjs"))};
  const args = ["--input-type=module", "--eval", process.argv[1]];
  const options = { ownGroup: true, samePressMs: 60_000 };
  process.exitCode = await runProcess(process.execPath, args, options);`;

function run(program: string): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "--eval", RUNNER, program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function linesOf(child: ChildProcess): AsyncIterator<string> {
  if (child.stdout === null) throw new Error("stdout is piped");
  return createInterface(child.stdout)[Symbol.asyncIterator]();
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
  const lines = linesOf(child);
  expect((await lines.next()).value).toBe("ready");
  child.kill(signal);
  child.kill(signal);
  expect((await lines.next()).value).toBe("signal 1");
  child.kill(signal);
  child.kill("SIGHUP");
  const [code] = await once(child, "exit");
  expect(code).toBe(1);
});

it("ends the program when the shell between npm and it is killed", async () => {
  const program = `
    process.on("SIGTERM", () => {
      console.log("ended");
      process.exit();
    });
    setInterval(() => {}, 1000);
    console.log("ready");`;
  // The `true` keeps the shell from turning into what it runs.
  const script = '"$0" --input-type=module --eval "$1" "$2"; true';
  const shell = spawn("sh", ["-c", script, process.execPath, RUNNER, program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = linesOf(shell);
  expect((await lines.next()).value).toBe("ready");
  shell.kill("SIGKILL");
  expect((await lines.next()).value).toBe("ended");
});
