import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { runInProcess } from "../run-in-process.ts";

const manifest = new URL("../../packages/cli/package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-usage-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("a command line that is wrong", () => {
  it.each([
    [["server", "--port", "abc"], /'abc' is invalid\. Must be a port from 0 to 65535/],
    [["server", "--retention", "5"], /'5' is invalid\. Must be a duration with a unit: 30d/],
    [
      ["server", "--store", "mysql://db"],
      /--store cannot be used\. It must be postgres:\/\/… or clickhouse:/,
    ],
    [["server", "--store", "sqlite:.agate"], /in the folder that --data-dir names: leave --store/],
    [
      ["server", "--registry", "clickhouse://ch"],
      /--registry cannot be used\. It must be postgres:/,
    ],
    [["server", "extra"], /Too many arguments for 'server'/],
  ])("%j is refused with code 2 before anything is made", async (args, reason) => {
    expectRefusal(await runAgate(args, { cwd: folder }), 2, reason);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    [["server", "--port", "65536"], /'65536' is invalid\. Must be a port from 0 to 65535/],
    [["server", "--port", "-1"], /Must be a port from 0 to 65535/],
    [["server", "--retention", "0d"], /'0d' is invalid\. Must be a duration with a unit/],
    // Beyond 2 ** 31 ms a timer fires at once: every list would have timed out.
    [["server", "--query-timeout", "30d"], /'30d' is invalid\. Must be 24d or less\./],
    [["server", "--process-memory", "127mb"], /'127mb' is invalid\. Must be 128mb or more\./],
    [["server", "--max-body", "lots"], /'lots' is invalid\. Must be a size with a unit/],
    [["server", "--log-level", "loud"], /Allowed choices are debug, info, warn, error, silent/],
    [["server", "--log-format", "xml"], /Allowed choices are json, pretty/],
    [["server", "--data-dir"], /'--data-dir <folder>' argument missing/],
    [["server", "--nonsense"], /Unknown option '--nonsense'/],
    [["apps", "shwo"], /Unknown command 'shwo' \(Did you mean show\?\)/],
    [["variants", "shwo", "support", "default"], /Unknown command 'shwo' \(Did you mean show\?\)/],
    [["apps", "show"], /Missing required argument 'app'/],
    [["apps", "show", ".."], /'\.\.' is not a name/],
    [["apps", "delete", "support"], /Not a terminal: pass --yes to confirm/],
    [["apps", "--url", "localhost"], /--url must be an address like http:\/\/127/],
    [["--url", "http://127.0.0.1:9", "server"], /'server' does not use a platform/],
    [["revisions", "commit", "a", "b"], /Say what to commit with --params, --set or --unset/],
    [["revisions", "commit", "a", "b", "--set", "x=1"], /Write it as \/route\.field=value/],
    [["run", "/x", "--variant", "a", "--config", "b=1"], /cannot be used with option '--config/],
    [["traces", "--follow", "--cursor", "x"], /--follow.* cannot be used with .*--cursor/],
    [["traces", "--status", "FINE"], /Allowed choices are UNSET, OK, ERROR/],
    [
      ["keys", "create", "ci", "--scope", "root"],
      /A scope is one of ingest, read, run, playground, score, evaluate, deploy, backup, admin/,
    ],
    [["keys", "create", "ci", "--scope", "read", "--registry"], /or AGATE_REGISTRY one to take/],
    [["completion", "tcsh"], /Allowed choices are bash, zsh, fish/],
    [["server", "--prot", "1"], /Unknown option '--prot' \(Did you mean --port\?\)/],
    [["promote"], /Unknown command 'promote' \(Did you mean agate deployments promote\?\)/],
    [["servr"], /Unknown command 'servr' \(Did you mean one of serve, server\?\)/],
    [["--nonsense"], /Unknown option '--nonsense'/],
  ])("%j is refused with code 2", async (args, reason) => {
    expectRefusal(await runInProcess(args), 2, reason);
  });

  it("no address is repeated that may have a password in it", async () => {
    for (const [name, url] of [
      ["AGATE_STORE", "clickhouse://ann:hush@ch/traces?compress=1"],
      ["AGATE_REGISTRY", "postgres://ann:hush/1@db/agate"],
    ] as const) {
      const ended = await runAgate(["server"], { cwd: folder, env: { [name]: url } });
      expectRefusal(ended, 2, `The address in $${name} cannot be used.`);
      expect(ended.stderr).not.toContain("hush");
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it("nothing at all prints the help, with code 2", async () => {
    const { code, stdout, stderr } = await runInProcess([]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Usage: agate \[options\] \[command\]\n/);
  });
});

describe("--help and --version", () => {
  it.each([["--help"], ["-h"], ["help"]])("%s lists the commands", async (flag) => {
    const { code, stdout, stderr } = await runInProcess([flag]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: agate .*\n[\s\S]*\nStart:\n[\s\S]*\n {2}server {2}/);
  });

  it.each([[["server", "--help"]], [["help", "server"]]])("%j lists the options", async (args) => {
    const { code, stdout, stderr } = await runInProcess(args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: agate server \[options\]\n[\s\S]*--retention <time>/);
  });

  it.each([["--version"], ["-V"]])("%s prints the version", async (flag) => {
    expect(await runAgate([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("ends quietly when its output is closed before the end of the help", async () => {
    const ended = await runAgate(["server", "--help"], { deaf: true });
    expect(ended).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});
