import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DataFolder } from "../data-folder.ts";
import {
  copyDataFolder,
  digestFiles,
  emptyDataFolder,
  filledDataFolder,
  sendMoreAndKill,
} from "../data-folder.ts";
import type { Ended } from "../run-agate.ts";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";

let filled: DataFolder;
beforeAll(async () => {
  filled = await filledDataFolder("stop");
});
afterAll(() => filled[Symbol.asyncDispose]());

/** Starting over this folder must be refused for this reason, with nothing in it changed. */
async function expectFolderRefused(folder: DataFolder, reason: RegExp): Promise<void> {
  const before = await digestFiles(folder);
  const ended = await runAgate(["server", "--port", "0", "--data-dir", folder.path]);
  expectRefusal(ended, 1, reason);
  expect(ended.stderr).toContain(folder.path);
  expect(await digestFiles(folder)).toEqual(before);
}

function editDatabase(folder: DataFolder, sql: string): void {
  const db = new DatabaseSync(folder.spansFile);
  db.exec(sql);
  db.close();
}

async function cutInHalf(file: string): Promise<void> {
  const { size } = await stat(file);
  await truncate(file, Math.floor(size / 8192) * 4096);
}

describe("a data directory that another server uses", () => {
  it("is refused, and the other server goes on", async () => {
    await using folder = await emptyDataFolder();
    await using server = await startServer({ dataDirectory: folder.path });
    const ended = await runAgate(["server", "--port", "0", "--data-dir", folder.path]);
    expectRefusal(ended, 1, `is in use by another Agate server (process ${server.pid}). Stop`);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });

  it("is free again after the other was killed", async () => {
    await using folder = await filledDataFolder("kill");
    await using server = await startServer({ dataDirectory: folder.path });
    const { items } = (await (
      await fetch(`${server.url}/observability/traces/?limit=1000`)
    ).json()) as { items: unknown[] };
    expect(items).toHaveLength(200);
  });
});

describe("a database that cannot be used is refused and left as it is", () => {
  it("when it is no database", async () => {
    await using folder = await emptyDataFolder();
    await writeFile(folder.spansFile, "these are the notes of my last holiday\n".repeat(500));
    await expectFolderRefused(folder, /is not a database, or is damaged\. It was left as it is/);
  });

  it("when it is shorter than a database can be", async () => {
    await using folder = await emptyDataFolder();
    await writeFile(folder.spansFile, "SQLite format 3\0");
    await expectFolderRefused(folder, /is not a database, or is damaged\. It was left as it is/);
  });

  it("when it is a folder", async () => {
    await using folder = await emptyDataFolder();
    await mkdir(folder.spansFile);
    const ended = await runAgate(["server", "--port", "0", "--data-dir", folder.path]);
    expectRefusal(ended, 1, /Cannot write to .*spans\.db: it is not a file\./);
  });

  it("when it was cut short", async () => {
    await using folder = await copyDataFolder(filled);
    await cutInHalf(folder.spansFile);
    await expectFolderRefused(folder, /is damaged \(.*\)\. Nothing was changed: restore it/);
  });

  it("when it was cut short, with its write-ahead log", async () => {
    await using folder = await copyDataFolder(filled);
    await sendMoreAndKill(folder);
    await cutInHalf(folder.spansFile);
    expect((await stat(`${folder.spansFile}-wal`)).size).toBeGreaterThan(0);
    await expectFolderRefused(folder, /is damaged \(.*\)\. Nothing was changed: restore it/);
  });

  it("when its first page is overwritten", async () => {
    await using folder = await copyDataFolder(filled);
    const bytes = await readFile(folder.spansFile);
    await writeFile(folder.spansFile, bytes.fill(0xff, 100, 4096));
    await expectFolderRefused(folder, /is damaged \(.*\)\. Nothing was changed: restore it/);
  });

  it("when pages in its middle are overwritten", async () => {
    await using folder = await copyDataFolder(filled);
    const bytes = await readFile(folder.spansFile);
    const middle = Math.floor(bytes.length / 8192) * 4096;
    await writeFile(folder.spansFile, bytes.fill("noise", middle, middle + 3 * 4096));
    await expectFolderRefused(folder, /is damaged \(.*\)\. Nothing was changed: restore it/);
  });

  it("when a newer version wrote it", async () => {
    await using folder = await copyDataFolder(filled);
    editDatabase(folder, "PRAGMA user_version = 9000");
    await expectFolderRefused(
      folder,
      /was written by a newer version of Agate \(schema 9000; this one knows \d+\)\. It was left as it is: upgrade Agate/,
    );
  });

  it("when it is another program's, with that reason", async () => {
    await using folder = await emptyDataFolder();
    editDatabase(folder, "PRAGMA application_id = 77; CREATE TABLE notes (text)");
    await expectFolderRefused(folder, /is a database of another program\. It was left as it is/);
  });

  it("when it is another program's, without a mark", async () => {
    await using folder = await emptyDataFolder();
    editDatabase(folder, "CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')");
    await expectFolderRefused(folder, /is a database of another program\. It was left as it is/);
  });
});

describe("a folder that cannot be written", async () => {
  // Permissions do not bind root, so root starts the server as another user.
  const otherUser = process.getuid?.() === 0 ? 65_534 : undefined;
  const place = { cwd: "/", ...(otherUser === undefined ? {} : { uid: otherUser }) };
  const canRun = (await runAgate(["--version"], place).catch(() => null))?.code === 0;

  async function startAsSomebody(path: string): Promise<Ended> {
    return runAgate(["server", "--port", "0", "--data-dir", path], place);
  }

  describe.skipIf(!canRun)("(needs a checkout that others than root may read)", () => {
    it("is refused when nothing may be made in it", async () => {
      await using folder = await emptyDataFolder();
      await chmod(folder.path, 0o555);
      const ended = await startAsSomebody(folder.path);
      await chmod(folder.path, 0o755);
      expectRefusal(ended, 1, /Cannot write to the data directory .*: permission denied\. Choose/);
      expect(await digestFiles(folder)).toEqual({});
    });

    it("is refused when it cannot be made", async () => {
      await using folder = await emptyDataFolder();
      await chmod(folder.path, 0o555);
      const ended = await startAsSomebody(join(folder.path, "a/b"));
      await chmod(folder.path, 0o755);
      expectRefusal(ended, 1, /Cannot create the data directory .*: permission denied\./);
    });

    it("is refused for a new project, as JSON too", async () => {
      await using folder = await emptyDataFolder();
      await chmod(folder.path, 0o555);
      const init = ["init", join(folder.path, "support"), "--no-install"];
      const [told, asJson] = [
        await runAgate(init, place),
        await runAgate([...init, "--json"], place),
      ];
      await chmod(folder.path, 0o755);
      const reason = /Can't use \S*support: permission denied\. Change its permissions, or choose/;
      expectRefusal(told, 1, reason);
      expect(asJson).toMatchObject({ code: 1, stdout: "" });
      expect(JSON.parse(asJson.stderr).error.message).toMatch(reason);
    });

    it.each(["migrate-store", "migrate-registry"])(
      "is not taken for an empty one by %s, when it may not be read",
      async (command) => {
        await using folder = await emptyDataFolder();
        await chmod(folder.path, 0o000);
        const ended = await runAgate([command, `sqlite:${folder.path}`, "sqlite:to"], place);
        await chmod(folder.path, 0o755);
        expectRefusal(ended, 1, /Can't use \S+\.db\S*: permission denied\. Change its permissions/);
      },
    );

    it.each(["spans.db", "index.db"])("is refused when %s may not be written", async (name) => {
      await using folder = await copyDataFolder(filled);
      await chmod(join(folder.path, name), 0o444);
      // Everything else belongs to the one who starts the server.
      if (otherUser !== undefined) {
        const others = ["agate.lock", "spans.db", "index.db"].filter((other) => other !== name);
        const paths = [folder.path, ...others.map((other) => join(folder.path, other))];
        await Promise.all(paths.map((path) => chown(path, otherUser, otherUser)));
      }
      const before = await digestFiles(folder);
      const ended = await startAsSomebody(folder.path);
      expectRefusal(ended, 1, new RegExp(`Cannot write to .*${name}: permission denied\\.`));
      expect(await digestFiles(folder)).toEqual(before);
    });
  });
});

describe("an address that cannot be listened on", () => {
  it("is refused when builds could not reach the port", async () => {
    const folder = join(tmpdir(), "agate-never-made");
    const ended = await runAgate(["server", "--port", "4190", "--data-dir", folder]);
    expectRefusal(ended, 1, "fetch and browsers do not connect to port 4190");
    expect(existsSync(folder)).toBe(false);
  });

  it("is refused when the port is in use", async () => {
    await using folder = await emptyDataFolder();
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const ended = await runAgate(["server", "--port", `${port}`, "--data-dir", folder.path]);
    other.close();
    expectRefusal(ended, 1, `Port ${port} on 127.0.0.1 is in use by another program. Stop it`);
    // The folder was let go of again.
    await using server = await startServer({ dataDirectory: folder.path });
    expect(await server.stop()).toBe(0);
  });

  it.each(["0.0.0.0", "::", "192.0.2.1", "example.com", ""])(
    "is refused when others could reach it: %j",
    async (host) => {
      await using folder = await emptyDataFolder();
      const path = join(folder.path, "made");
      const args = ["server", "--port", "0", "--data-dir", path, "--host", host];
      expectRefusal(await runAgate(args), 1, /without API keys/);
      expect(await digestFiles(folder)).toEqual({});
    },
  );

  it("is refused when the port that is named for gRPC is in use", async () => {
    await using server = await startServer({ flags: ["--otlp-grpc", "0"] });
    const [, port = ""] = /"otlp_grpc":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(server.log()) ?? [];
    const ended = await runAgate(["server", "--port", "0", "--otlp-grpc", port], {
      cwd: server.dataDirectory,
    });
    expectRefusal(
      ended,
      1,
      `Port ${port} on 127.0.0.1 is in use by another program. Stop it, or choose another port with --otlp-grpc.`,
    );
  });

  it("is refused when this machine does not have it", async () => {
    await using folder = await emptyDataFolder();
    const args = ["server", "--port", "0", "--data-dir", folder.path, "--host", "127.0.0.999"];
    expectRefusal(await runAgate(args), 1, /This machine has no address 127\.0\.0\.999\. Choose/);
  });
});

describe("a price file that cannot be used", () => {
  it.each([
    ["nothing", null, /cannot be used: it cannot be read \(ENOENT\)/],
    ["no JSON", "{oops", /cannot be used: it is not JSON/],
    ["other JSON", '{"a":1}', /cannot be used: /],
  ])("is refused when there is %s", async (_, content, reason) => {
    await using folder = await emptyDataFolder();
    const file = join(folder.path, "prices.json");
    if (content !== null) await writeFile(file, content);
    const path = join(folder.path, "data");
    const args = ["server", "--port", "0", "--data-dir", path, "--prices", file];
    expectRefusal(await runAgate(args), 1, reason);
  });
});
