import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storedSpan } from "../../packages/cli/src/stores/contract/stored-span.fixture.ts";
import { openSpanStore } from "../../packages/cli/src/stores/open-span-store.ts";
import {
  type ChdbServer,
  startChdbServer,
} from "../../packages/cli/src/stores/testing/chdb-server.fixture.ts";
import { codeBlocks } from "../code-blocks.ts";
import { MANIFESTS, objectOf, readTopology } from "./topology.fixture.ts";

// What the guide and the manifests ask of ClickHouse, put to the real engine.

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
    const open = () =>
      openSpanStore(server.address("agate"), {
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
    await ask("DROP DATABASE agate SYNC");
    await ask("RESTORE DATABASE agate FROM Memory('copy')");
    const after = await open();
    expect(await after.countSpans()).toEqual([{ project: "p", traces: 1, spans: 1 }]);
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
