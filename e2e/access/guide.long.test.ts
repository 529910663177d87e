import { describe, expect, it } from "vitest";
import { codeBlocks } from "../code-blocks.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";

/** The commands of the page, in its order, without `agate`. */
const commands = codeBlocks("docs/guide/securing-the-platform.md")
  .filter(({ info }) => info === "sh")
  .flatMap(({ code }) => code.split("\n"))
  .filter((line) => line.startsWith("agate "))
  .map((line) => line.split(" ").slice(1));

const isServer = ([name]: readonly string[]) => name === "server";
const isOffline = (command: readonly string[]) =>
  !isServer(command) && command.includes("--data-dir");
const isClient = (command: readonly string[]) => !isServer(command) && !isOffline(command);

describe("the guide to securing the platform", () => {
  it("can be followed", async () => {
    await using folder = await emptyDataFolder();
    const run = async (command: readonly string[], ...more: string[]): Promise<string> => {
      const ended = await runAgate([...command, ...more]);
      expect(ended.code, `agate ${command.join(" ")}: ${ended.stderr}`).toBe(0);
      return ended.stdout.trim();
    };
    const here = (command: readonly string[]) =>
      command.map((word) => (word === ".agate" ? folder.path : word));
    const keys: string[] = [];
    for (const command of commands.filter(isOffline)) keys.push(await run(here(command)));
    expect(keys).toHaveLength(2);
    for (const command of commands.filter(isServer)) {
      // The folder and the port are the test's.
      const flags = command.slice(1).filter((word) => !["--data-dir", ".agate"].includes(word));
      await using server = await startServer({ dataDirectory: folder.path, flags });
      const url = server.url.replace("0.0.0.0", "127.0.0.1");
      const connection = ["--url", url, "--api-key", keys[0] ?? ""];
      const listed = async () => {
        const { items } = JSON.parse(await run(["keys", "--json"], ...connection));
        return items as { id: string; name: string }[];
      };
      for (const command of commands.filter(isClient)) {
        const shop = (await listed()).find(({ name }) => name === "shop");
        const words = command.map((word) => (word === "key_…" ? (shop?.id ?? word) : word));
        await run(words, ...connection, ...(words[1] === "revoke" ? ["--yes"] : []));
      }
      const names = (await listed()).map(({ name }) => name);
      expect(names).toContain("ci");
      expect(names).not.toContain("shop");
    }
    const servers = commands.filter(isServer).map(([, ...flags]) => flags.join(" "));
    expect(servers).toEqual(["--host 0.0.0.0 --data-dir .agate", "--require-key"]);
  });
});
