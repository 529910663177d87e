import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { PostgresAddress } from "../../packages/platform/src/stores/store-address.ts";
import type { PostgresDatabases } from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { codeBlocks } from "../code-blocks.ts";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { MANIFESTS, objectOf, readTopology } from "./topology.fixture.ts";

// The container of topologies/postgres, run with its own arguments, variables and probes.

const objects = readTopology(join(MANIFESTS, "topologies/postgres"));
const [container] = objectOf(objects, "Deployment", "agate").spec.template.spec.containers;

let postgres: PostgresDatabases;
let database: PostgresAddress;
let env: Record<string, string>;

beforeAll(async () => {
  postgres = await sharedPostgres();
  database = await postgres.createDatabase();
  const secrets: Record<string, string> = { "agate-postgres-app/uri": database.url };
  const variables = container.env.map(({ name, value, valueFrom }: EnvVariable) => {
    const { name: secret, key } = valueFrom?.secretKeyRef ?? {};
    return [name, value ?? secrets[`${secret}/${key}`]];
  });
  env = Object.fromEntries(variables);
  expect(Object.values(env)).not.toContain(undefined);
});

interface EnvVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

/** Its arguments, on an address, a port and a folder of this test's own. */
function flags(): string[] {
  const [, ...args] = container.args as string[];
  const kept = args.filter((arg) => !/^--(?:host|port|otlp-grpc|data-dir)=/.test(arg));
  // As on an address that others can reach.
  return [...kept, "--require-key"];
}

it("waits for the first key, starts with it, is well where the probes ask, and can be measured", async () => {
  const early = await startServer({ flags: flags(), env }).catch((error: Error) => error.message);
  expect(early).toContain("agate keys create admin --scope admin,deploy --registry");

  const created = await runAgate(["keys", "create", "admin", "--scope", "admin", "--registry"], {
    env: { ...process.env, AGATE_REGISTRY: env.AGATE_REGISTRY },
  });
  expect(created.code).toBe(0);

  await using server = await startServer({ flags: flags(), env });
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
    const answer = await fetch(server.url + container[probe].httpGet.path);
    expect(answer.status).toBe(200);
  }
  const headers = { authorization: `Bearer ${created.stdout.trim()}` };
  const traces = await fetch(`${server.url}/observability/traces/`, { headers });
  expect(await traces.json()).toEqual({ items: [], next_cursor: null });
  expect(await server.stop()).toBe(0);

  const [size] = codeBlocks("docs/guide/scaling.md").filter(({ code }) =>
    code.startsWith("-- PostgreSQL"),
  );
  const [row] = await postgres.query<Record<string, string>>(database, size?.code ?? "");
  expect(Object.values(row ?? {})).toEqual([expect.stringMatching(/^[1-9]\d* kB$/)]);
});
