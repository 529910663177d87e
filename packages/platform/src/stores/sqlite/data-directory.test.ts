import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { filesIn, openDataDirectory } from "./data-directory.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./span-schema.ts";
import { DataDirectoryError } from "./sqlite-errors.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "agate-directory-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** The one sentence that the folder is refused with; the file must be as it was. */
function refusal(): string {
  const file = filesIn(directory).spans;
  const before = readFileSync(file);
  try {
    openDataDirectory(directory).release();
  } catch (error) {
    expect(error).toBeInstanceOf(DataDirectoryError);
    expect(readFileSync(file).equals(before)).toBe(true);
    return (error as Error).message;
  }
  throw new Error("The folder was accepted");
}

async function fill(): Promise<void> {
  const store = await openSqliteStore({ directory });
  const spans = Array.from({ length: 200 }, (_, i) =>
    storedSpan({ traceId: traceIdOf(i), inputs: "x".repeat(2000) }),
  );
  await store.append({ project: "", receivedAt: 1, spans });
  await store.close();
}

describe("openDataDirectory", () => {
  it("makes the folder and can be opened again after it was released", () => {
    const nested = join(directory, "a/b");
    openDataDirectory(nested).release();
    openDataDirectory(nested).release();
    expect(statSync(filesIn(nested).spans).size).toBeGreaterThan(0);
  });

  it("refuses a folder that another server uses, and names its process", () => {
    const held = openDataDirectory(directory);
    expect(() => openDataDirectory(directory)).toThrow(
      `is in use by another Agate server (process ${process.pid}). Stop that one, or choose another with --data-dir.`,
    );
    held.release();
    openDataDirectory(directory).release();
  });

  it("refuses a file that is no database", () => {
    writeFileSync(filesIn(directory).spans, "not a database at all, but rather long ".repeat(9));
    expect(refusal()).toMatch(/is not a database, or is damaged\. It was left as it is/);
  });

  it("refuses another program's database", () => {
    const db = new DatabaseSync(filesIn(directory).spans);
    db.exec("PRAGMA application_id = 7; CREATE TABLE t (x)");
    db.close();
    expect(refusal()).toMatch(/is a database of another program/);
  });

  it("refuses another program's database that carries no mark, even in its write-ahead log", () => {
    const db = new DatabaseSync(filesIn(directory).spans);
    db.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (x)");
    expect(refusal()).toMatch(/is a database of another program/);
    db.close();
    expect(refusal()).toMatch(/is a database of another program/);
  });

  it("takes a database that a killed server had only begun", () => {
    const db = new DatabaseSync(filesIn(directory).spans);
    db.exec("PRAGMA journal_mode = WAL");
    db.close();
    openDataDirectory(directory).release();
  });

  it("refuses a database of a newer version", () => {
    openDataDirectory(directory).release();
    const db = new DatabaseSync(filesIn(directory).spans);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}; PRAGMA wal_checkpoint(TRUNCATE)`);
    db.close();
    expect(refusal()).toMatch(/was written by a newer version of Agate/);
  });

  it("refuses a truncated database", async () => {
    await fill();
    const file = filesIn(directory).spans;
    truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
    expect(refusal()).toMatch(/is damaged .*Nothing was changed/);
  });

  it("refuses a database whose first page was overwritten", async () => {
    await fill();
    const file = filesIn(directory).spans;
    const bytes = readFileSync(file);
    bytes.fill(0xff, 100, 4096);
    writeFileSync(file, bytes);
    expect(refusal()).toMatch(/is damaged/);
  });

  it("says why it cannot write", () => {
    const file = join(directory, "file");
    appendFileSync(file, "");
    expect(() => openDataDirectory(join(file, "below"))).toThrow(
      /Cannot create the data directory .*: a part of the path is not a folder/,
    );
    if (process.getuid?.() !== 0) return;
    // Permissions do not bind root, so another user tries.
    chmodSync(directory, 0o555);
    const script = `import { openDataDirectory } from ${JSON.stringify(new URL("./data-directory.ts", import.meta.url).href)};
      try { openDataDirectory(${JSON.stringify(directory)}) } catch (error) { console.log(error.message) }`;
    const asOtherUser = { uid: 65534, encoding: "utf8" } as const;
    const args = ["--no-warnings", "--input-type=module", "--eval", script];
    let said: string;
    try {
      said = execFileSync(process.execPath, args, { ...asOtherUser, cwd: "/" });
    } catch (error) {
      // A checkout that only root may read cannot be run by anyone else.
      if (/EACCES|ERR_MODULE_NOT_FOUND/.test(String(error))) return;
      throw error;
    }
    expect(said).toMatch(/^Cannot write to the data directory .*: permission denied\. Choose/);
  });

  it("starts anew over a file that a killed server left empty", () => {
    writeFileSync(filesIn(directory).spans, "");
    openDataDirectory(directory).release();
  });

  it("migrates an older database and keeps what is in it", async () => {
    await fill();
    const next = [...MIGRATIONS, "ALTER TABLE traces ADD COLUMN starred INTEGER"];
    openDataDirectory(directory, next).release();
    const db = new DatabaseSync(filesIn(directory).spans);
    expect(db.prepare("SELECT count(*) AS n, max(starred) AS starred FROM traces").get()).toEqual({
      n: 200,
      starred: null,
    });
    expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: next.length });
    db.close();
  });

  it("leaves the old version whole when a migration fails", async () => {
    await fill();
    const broken = [...MIGRATIONS, "ALTER TABLE traces ADD COLUMN starred; SELECT nonsense"];
    expect(() => openDataDirectory(directory, broken)).toThrow(DataDirectoryError);
    const store = await openSqliteStore({ directory });
    const page = await store.listTraces({ project: "", filter: {}, limit: 500, after: null });
    expect(page.items).toHaveLength(200);
    await store.close();
  });

  it("makes the index anew when it is lost or damaged", async () => {
    await fill();
    for (const damage of [
      () => rmSync(filesIn(directory).index),
      () => writeFileSync(filesIn(directory).index, "garbage".repeat(1000)),
    ]) {
      damage();
      const store = await openSqliteStore({ directory });
      await store.searchCaughtUp();
      const filter = { text: "span" };
      const page = await store.listSpans({ project: "", filter, limit: 500, after: null });
      expect(page.items).toHaveLength(200);
      await store.close();
    }
  });
});

// Before: without a descriptor for the index the query thread ended, and the server with it.
it("knows the errors of a process that has from 0 to 6 descriptors left", async () => {
  await fill();
  const program = `
    import { closeSync, openSync } from "node:fs";
    import { openForReading } from ${JSON.stringify(new URL("./data-directory.ts", import.meta.url))};
    import { isDescriptorShortage } from ${JSON.stringify(new URL("../../threads/spawn-thread.ts", import.meta.url))};
    const directory = ${JSON.stringify(directory)};
    for (let spare = 0; spare <= 6; spare++) {
      const taken = [];
      try {
        for (;;) taken.push(openSync("/dev/null"));
      } catch {}
      for (const descriptor of taken.splice(0, spare)) closeSync(descriptor);
      let result = "open";
      try {
        openForReading(directory).close();
      } catch (error) {
        // Without its code, as from another thread.
        result = isDescriptorShortage(new Error(error.message)) ? "shortage" : error.message;
      }
      for (const descriptor of taken) closeSync(descriptor);
      console.log(result);
    }`;
  const limited = ["-c", 'ulimit -n 64 && exec "$@"', "sh", process.execPath];
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program];
  const results = execFileSync("sh", [...limited, ...args], { encoding: "utf8" })
    .trim()
    .split("\n");
  expect(new Set(results)).toEqual(new Set(["shortage", "open"]));
  expect([results[0], results[3], results.at(-1)]).toEqual(["shortage", "shortage", "open"]);
});
