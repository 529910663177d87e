import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storedSpan } from "../../packages/platform/src/stores/contract/stored-span.fixture.ts";
import { openSpanStore } from "../../packages/platform/src/stores/open-span-store.ts";
import { MIGRATIONS } from "../../packages/platform/src/stores/postgres/span-schema.ts";
import { REGISTRY_KEYS } from "../../packages/platform/src/stores/registry/registry-tables.ts";
import {
  type ChdbServer,
  startChdbServer,
} from "../../packages/platform/src/stores/testing/chdb-server.fixture.ts";
import { codeBlocks } from "../code-blocks.ts";
import { MANIFESTS, objectOf, readTopology } from "./topology.fixture.ts";

const ROOT = join(import.meta.dirname, "../..");

// What the guide and the manifests ask of the databases, put to the real engine where it can be.

it("leaves the rows of spans out of a dump of PostgreSQL, and no others", () => {
  const guide = readFileSync(join(ROOT, "docs/guide/scaling.md"), "utf8");
  const [, pattern = ""] = /--exclude-table-data 'agate\.(\S+)\*'/.exec(guide) ?? [];
  const isLeftOut = (table: string) => new RegExp(`^${pattern}`).test(table);
  const ofSpans = [...MIGRATIONS.join().matchAll(/CREATE TABLE agate\.(\w+)/g)].map(([, t]) => t!);
  expect(ofSpans).toContain("segments");
  expect(ofSpans.filter((table) => !isLeftOut(table))).toEqual([]);
  const ofRegistry = [...Object.keys(REGISTRY_KEYS), "build_archives", "registry_migrations"];
  expect([...ofRegistry, "span_schema"].filter(isLeftOut)).toEqual([]);
});

let server: ChdbServer;
beforeAll(async () => {
  server = await startChdbServer();
});
afterAll(() => server.dispose());

/** @throws with ClickHouse's own words when it refuses the statement. */
async function ask(statement: string): Promise<string> {
  const { url, username, password } = server.address("default");
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  const headers = { authorization: `Basic ${credentials}` };
  const answer = await fetch(url, { method: "POST", body: statement, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

const statements = codeBlocks("docs/guide/scaling.md")
  .filter(({ info, code }) => info === "sql" && !code.startsWith("-- PostgreSQL"))
  .flatMap(({ code }) => code.split(";"))
  .map((statement) => statement.replace(/^\s*--.*$/gm, "").trim())
  .filter((statement) => statement !== "");

describe("ClickHouse", () => {
  it.each(statements.map((text) => [text.split("\n")[0], text]))(
    "takes %s …",
    async (_, statement) => {
      await expect(ask(`EXPLAIN AST ${statement}`)).resolves.not.toBe("");
    },
  );

  it("was asked to back up and to restore", () => {
    const verbs = statements.map((statement) => statement.split(" ")[0]);
    expect(verbs).toEqual(["SELECT", "BACKUP", "BACKUP", "RESTORE"]);
  });

  it("has everything again after a backup was restored", async () => {
    const open = (database = "agate") =>
      openSpanStore(server.address(database), {
        onFailure: (error) => {
          throw error;
        },
      });
    const before = await open();
    const spans = [storedSpan({ inputs: "agate" })];
    await before.append({ project: "p", receivedAt: Date.now() * 1000, spans });
    await before.close();
    // S3 is what the guide has; what is in a backup does not depend on where it lies.
    await ask("BACKUP DATABASE agate TO Memory('copy')");
    await ask("RESTORE DATABASE agate AS agate_old FROM Memory('copy')");
    await ask("DROP DATABASE agate SYNC");
    await ask("RESTORE DATABASE agate FROM Memory('copy')");
    const after = await open();
    const beside = await open("agate_old");
    for (const store of [after, beside]) {
      expect(await store.countSpans()).toEqual([{ project: "p", traces: 1, spans: 1 }]);
    }
    await beside.close();
    const request = { project: "p", limit: 10, after: null };
    const found = await after.listTraces({ ...request, filter: { text: "agate" } });
    expect(found.items).toHaveLength(1);
    await after.close();
  });

  it("has the settings of the manifests' profile", async () => {
    const objects = readTopology(join(MANIFESTS, "topologies/clickhouse"));
    const { profiles } = objectOf(objects, "ClickHouseInstallation").spec.configuration;
    const settings = Object.entries(profiles).map(
      ([name, value]) => `${name.replace("default/", "")} = '${value}'`,
    );
    expect(settings).not.toEqual([]);
    expect(await ask(`SELECT 1 SETTINGS ${settings.join(", ")}`)).toBe("1\n");
    await expect(ask("SELECT 1 SETTINGS insert_quorums = '1'")).rejects.toThrow("UNKNOWN_SETTING");
  });
});
