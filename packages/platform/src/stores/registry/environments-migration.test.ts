import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { done } from "../../registry/contract/subject.fixture.ts";
import type { ChangeRequest } from "../../registry/deployment-change.ts";
import { openRegistry } from "../../registry/open-registry.ts";
import type { Registry } from "../../registry/registry.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresRegistry } from "./open-postgres-registry.ts";
import { openRegistryDatabase } from "./open-registry-database.ts";
import { openSqliteRegistry } from "./open-sqlite-registry.ts";
import type { RegistryMigrations } from "./registry-migrations.ts";
import { POSTGRES_REGISTRY_MIGRATIONS, SQLITE_REGISTRY_MIGRATIONS } from "./registry-migrations.ts";

/** Rows of any table, as the release before environments had builds of their own wrote them. */
type OldTables = Record<string, Record<string, string | number | null>>;

function released(migrations: RegistryMigrations): RegistryMigrations {
  return Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0009"));
}

/** An id as the registry makes them, the same for the same name. */
function idOf(prefix: string, name: string): string {
  const bytes = createHash("sha256").update(name).digest().subarray(0, 20);
  const letters = Array.from(bytes, (byte) => "abcdefghijklmnopqrstuvwxyz234567"[byte % 32]);
  return `${prefix}_${letters.join("")}`;
}

const AT = "2026-01-01T00:00:00.000Z";
const LIVE_SINCE = "2026-01-05T00:00:00.000Z";
const SCHEMA = JSON.stringify([{ route: "/say", config: {}, inputs: { type: "object" } }]);

interface OldApplication {
  readonly slug: string;
  readonly schema?: string;
  readonly environments?: readonly string[];
  /** Status by number, from 1. */
  readonly builds?: readonly ("live" | "retired")[];
  /** The latest revision of `default`. */
  readonly revisions?: number;
  readonly deployments?: readonly {
    readonly environment: string;
    readonly revision: number;
    readonly isLive: boolean;
  }[];
}

const APPLICATIONS: readonly OldApplication[] = [
  {
    slug: "hosted",
    schema: SCHEMA,
    builds: ["retired", "live"],
    revisions: 2,
    deployments: [
      { environment: "production", revision: 1, isLive: false },
      { environment: "production", revision: 2, isLive: true },
      { environment: "staging", revision: 1, isLive: true },
    ],
  },
  { slug: "bare", schema: SCHEMA, builds: ["live"] },
  { slug: "configured", schema: SCHEMA, builds: ["live"], revisions: 2 },
  {
    slug: "elsewhere",
    schema: SCHEMA,
    builds: ["retired"],
    revisions: 1,
    deployments: [{ environment: "staging", revision: 1, isLive: true }],
  },
  { slug: "told", schema: SCHEMA },
  { slug: "stopped", builds: ["retired"], revisions: 1 },
  { slug: "renamed", environments: ["canary", "live"] },
];

async function fill(db: Kysely<OldTables>): Promise<void> {
  const insert = (table: string, row: OldTables[string]) =>
    db.insertInto(table).values(row).execute();
  await insert("projects", { id: "default", slug: "default", created_at: AT });
  for (const application of APPLICATIONS) {
    const { slug, schema = null, builds = [], revisions = 0, deployments = [] } = application;
    const { environments = ["development", "staging", "production"] } = application;
    const at = { application_id: idOf("app", slug) };
    const told = { schema, schema_updated_at: schema && AT };
    const id = at.application_id;
    await insert("applications", { id, project_id: "default", slug, created_at: AT, ...told });
    for (const [n, name] of environments.entries()) {
      const row = {
        ...at,
        id: idOf("env", `${slug}_${name}`),
        number: n + 1,
        slug: name,
        created_at: AT,
      };
      await insert("environments", row);
    }
    for (const [n, status] of builds.entries()) {
      const live = status === "live" ? LIVE_SINCE : null;
      const by = { created_by: "a", created_at: AT, message: "", live_since: live };
      const what = { number: n + 1, status, routes: '["/say"]', size: 1, sdk_version: "0.1.0" };
      await insert("builds", { ...at, id: idOf("bld", `${slug}_${n + 1}`), ...what, ...by });
    }
    if (revisions > 0) {
      const variant = { id: idOf("var", slug), slug: "default", latest_revision: revisions };
      await insert("variants", { ...at, ...variant, created_at: AT });
    }
    for (let revision = 1; revision <= revisions; revision++) {
      const by = { message: "", created_by: "a", created_at: AT };
      await insert("revisions", { variant_id: idOf("var", slug), revision, params: "{}", ...by });
    }
    for (const [n, { environment, revision, isLive }] of deployments.entries()) {
      await insert("deployments", {
        ...at,
        id: idOf("dep", `${slug}_${n + 1}`),
        environment_id: idOf("env", `${slug}_${environment}`),
        number: n + 1,
        variant_id: idOf("var", slug),
        variant_slug: "default",
        revision,
        kind: "deploy",
        message: "",
        deployed_by: "a",
        deployed_at: AT,
        ended_at: isLive ? null : AT,
      });
    }
  }
}

const ALL = { limit: 100, before: null };

/** `production 2 default@1` for each deployment, the oldest first; what has ended in brackets. */
async function deploymentsOf(registry: Registry, application: string): Promise<string[]> {
  const ref = { project: "default", application };
  const { items } = done(await registry.deployments.list(ref, null, ALL));
  return items.toReversed().map(({ environment, build, variant, ended_at }) => {
    const text = `${environment} ${build?.number ?? "-"} ${variant.slug}@${variant.revision}`;
    return ended_at === null ? text : `(${text})`;
  });
}

function behaves(open: () => Registry): void {
  it("gives what is live the live build, and what has ended none", async () => {
    expect(await deploymentsOf(open(), "hosted")).toEqual([
      "(production - default@1)",
      "production 2 default@2",
      "staging 2 default@1",
    ]);
    const live = (await open().builds.live(idOf("app", "hosted"))).map(
      ({ environment, build, since }) => [
        environment.slug,
        environment.isDefault,
        build.number,
        since,
      ],
    );
    expect(live.toSorted()).toEqual([
      ["production", true, 2, LIVE_SINCE],
      ["staging", false, 2, LIVE_SINCE],
    ]);
    const builds = done(
      await open().builds.list({ project: "default", application: "hosted" }, ALL),
    );
    expect(builds.items).toMatchObject([
      { number: 2, kind: "hosted", status: "live", environments: ["staging", "production"] },
      { number: 1, kind: "hosted", status: "retired", environments: [], archive_sha256: null },
    ]);
  });

  it("lets a rollback to what has ended move the configuration alone", async () => {
    const request: ChangeRequest = {
      kind: "rollback",
      deployment: idOf("dep", "hosted_1"),
      parts: "both",
      environment: "production",
      environmentLoc: [],
      accepts: "compatible",
      by: "a",
      message: "",
    };
    const ref = { project: "default", application: "hosted" };
    expect(done(await open().deployments.pin(ref, request))).toMatchObject({
      build: null,
      config: { kind: "revision", variantId: idOf("var", "hosted"), revision: 1 },
    });
  });

  it("deploys a build that was live without a configuration to the default environment", async () => {
    expect(await deploymentsOf(open(), "bare")).toEqual(["production 1 default@1"]);
    const bare = { project: "default", application: "bare" };
    expect(done(await open().revisions.get(bare, "default", 1)).params).toEqual({});
    expect(await deploymentsOf(open(), "configured")).toEqual(["production 1 default@2"]);
  });

  it("makes an external build of a schema that came without one", async () => {
    const { builds, applications } = open();
    const elsewhere = { project: "default", application: "elsewhere" };
    expect(await deploymentsOf(open(), "elsewhere")).toEqual(["staging 2 default@1"]);
    expect(done(await builds.get(elsewhere, "2"))).toMatchObject({
      kind: "external",
      environments: ["staging"],
      routes: ["/say"],
    });
    expect(await builds.live(idOf("app", "elsewhere"))).toEqual([]);
    const told = { project: "default", application: "told" };
    expect(await deploymentsOf(open(), "told")).toEqual([]);
    for (const ref of [elsewhere, told]) {
      expect(done(await applications.schema(ref)).routes).toEqual(JSON.parse(SCHEMA));
    }
  });

  it("leaves what was not live as it is, and marks one default environment of each", async () => {
    expect(await deploymentsOf(open(), "stopped")).toEqual([]);
    for (const { slug } of APPLICATIONS) {
      const ref = { project: "default", application: slug };
      const environments = done(await open().environments.list(ref));
      const marked = environments.filter(({ is_default }) => is_default);
      expect(marked.map((each) => each.slug)).toEqual([slug === "renamed" ? "live" : "production"]);
    }
  });
}

describe("environments in SQLite", () => {
  let directory: string;
  let registry: Registry;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "agate-registry-"));
    const old = await openSqliteRegistry(directory, released(SQLITE_REGISTRY_MIGRATIONS));
    await fill(old as unknown as Kysely<OldTables>);
    await old.destroy();
    registry = await openRegistry(await openRegistryDatabase({ kind: "sqlite", directory }));
  });
  afterAll(async () => {
    await registry.close();
    rmSync(directory, { recursive: true });
  });

  behaves(() => registry);
});

describe("environments in PostgreSQL", () => {
  let server: PostgresDatabases;
  let address: PostgresAddress;
  let registry: Registry;
  beforeAll(async () => {
    server = await sharedPostgres();
    address = await server.createDatabase();
    const migrations = released(POSTGRES_REGISTRY_MIGRATIONS);
    const old = await openPostgresRegistry(address, { migrations });
    await fill(old.db as unknown as Kysely<OldTables>);
    await old.signals.close();
    await old.db.destroy();
    registry = await openRegistry(await openPostgresRegistry(address));
  });
  afterAll(() => registry.close());

  behaves(() => registry);

  it.each([
    ["hosted", "development", idOf("bld", "hosted_2")],
    ["stopped", "production", null],
  ])(
    "gives a deployment of a server of the release before the live build (%s)",
    async (slug, environment, build) => {
      // It names the columns that it knows.
      await server.query(
        address,
        `INSERT INTO agate.deployments (id, application_id, environment_id, number, variant_id,
         variant_slug, revision, kind, message, deployed_by, deployed_at)
       VALUES ($1, $2, $3, 9, $4, 'default', 1, 'deploy', '', 'a', $5)`,
        [
          idOf("dep", `${slug}_9`),
          idOf("app", slug),
          idOf("env", `${slug}_${environment}`),
          idOf("var", slug),
          AT,
        ],
      );
      const ref = { project: "default", application: slug };
      const { deployment } = done(await registry.environments.get(ref, environment));
      expect(deployment?.build?.id ?? null).toBe(build);
      const live = await registry.builds.live(idOf("app", slug));
      expect(live.map((each) => each.environment.slug).includes(environment)).toBe(build !== null);
    },
  );
});
