import { beforeAll, beforeEach, expect, it } from "vitest";
import { done } from "../../registry/contract/subject.fixture.ts";
import { newId } from "../../registry/names.ts";
import { openRegistry } from "../../registry/open-registry.ts";
import type { Registry } from "../../registry/registry.ts";
import { summarizeDocument } from "../../registry/schema/workflow-document.fixture.ts";
import { goLive, newBuild } from "../../registry/testing/go-live.fixture.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresRegistry } from "./open-postgres-registry.ts";

// A server of the release before environments had builds of their own is its statements here, in the order
// in which it sends them. e2e/upgrades/ runs the real one.

const APP = { project: "default", application: "support" };
const AT = "2026-01-05T00:00:00.000Z";

let server: PostgresDatabases;
let address: PostgresAddress;
let registry: Registry;
/** Ids of the application, and of its builds by number. */
let application: string;
let builds: string[];

beforeAll(async () => {
  server = await sharedPostgres();
});
beforeEach(async () => {
  address = await server.createDatabase();
  registry = await openRegistry(await openPostgresRegistry(address));
  application = done(await registry.applications.create("default", "support")).id;
  builds = [""];
  for (let number = 1; number <= 3; number++) {
    const { id } = done(await registry.builds.begin(APP, newBuild()));
    builds.push(id);
  }
  await deploy("production", 1);
  await deploy("staging", 1);
  await deploy("development", 2);
  return () => registry.close();
});

async function deploy(environment: string, build: number): Promise<void> {
  const asked = { environment, build: String(build) };
  done(await goLive(registry, APP, asked, { openapi: await summarizeDocument(2) }));
}

/** One transaction of the server. */
async function earlier(...statements: readonly string[]): Promise<void> {
  await server.query(address, ["BEGIN", ...statements, "COMMIT"].join(";\n"));
}

const retireLive = (app = application) =>
  `UPDATE agate.builds SET status = 'retired' WHERE application_id = '${app}' AND status = 'live'`;
const makeLive = (id: string) => `UPDATE agate.builds
  SET status = 'live', routes = '["/summarize"]', live_since = '${AT}' WHERE id = '${id}'`;

/** `production 1`, and so on: the live build of each environment; `-` where one has only a configuration. */
async function live(app = APP): Promise<string[]> {
  const environments = done(await registry.environments.list(app));
  return environments.flatMap(({ slug, deployment }) =>
    deployment === null ? [] : [`${slug} ${deployment.build?.number ?? "-"}`],
  );
}

it("gives code without a deployment to the environments that had the same code", async () => {
  await earlier(retireLive(), makeLive(builds[3]!));
  expect(await live()).toEqual(["development 2", "staging 3", "production 3"]);
  const page = { limit: 10, before: null };
  const { items } = done(await registry.deployments.list(APP, "production", page));
  expect(items).toMatchObject([
    { build: { number: 3 }, variant: { slug: "default", revision: 1 }, ended_at: null },
    // The pair that old processes still ask for.
    {
      build: { number: 1 },
      variant: { slug: "default", revision: 1 },
      ended_at: items[0]?.deployed_at,
    },
  ]);
  const hosted = await registry.builds.live(application);
  expect(hosted.find(({ environment }) => environment.slug === "production")?.since).not.toBe(AT);
  // A server of this release goes on from there.
  await deploy("production", 2);
  expect(await live()).toEqual(["development 2", "staging 3", "production 2"]);
});

it("knows the schema of a build that such a server has deployed", async () => {
  const routes = done(await registry.applications.schema(APP)).routes;
  await earlier(retireLive(), makeLive(builds[3]!));
  expect(done(await registry.applications.schema(APP)).routes).toEqual(routes);
});

it("leaves other environments alone where one was named", async () => {
  const { deployment } = done(await registry.environments.get(APP, "staging"));
  await earlier(
    retireLive(),
    makeLive(builds[3]!),
    `UPDATE agate.deployments SET ended_at = '${AT}' WHERE id = '${deployment!.id}'`,
    `INSERT INTO agate.deployments (id, application_id, environment_id, number, variant_id,
       variant_slug, revision, kind, message, deployed_by, deployed_at)
     SELECT '${newId("dep")}', application_id, environment_id, 9, variant_id, variant_slug, revision,
       'deploy', '', 'a', '${AT}' FROM agate.deployments WHERE id = '${deployment!.id}'`,
  );
  expect(await live()).toEqual(["development 2", "staging 3", "production 1"]);
});

it("activates an earlier build that another environment has, too", async () => {
  await earlier(retireLive(), makeLive(builds[2]!));
  expect(await live()).toEqual(["development 2", "staging 2", "production 2"]);
});

it("stops a build, keeps the configuration, and starts it again", async () => {
  await earlier(retireLive());
  expect(await live()).toEqual(["development 2", "staging -", "production -"]);
  await earlier(makeLive(builds[1]!));
  expect(await live()).toEqual(["development 2", "staging 1", "production 1"]);
});

it("leaves what a server of this release does as it is", async () => {
  done(await registry.deployments.takeDown(APP, "production"));
  expect(await live()).toEqual(["development 2", "staging 1"]);
  done(await registry.deployments.takeDown(APP, "development"));
  done(await registry.deployments.takeDown(APP, "staging"));
  expect(await live()).toEqual([]);
  await deploy("staging", 2);
  expect(await live()).toEqual(["staging 2"]);
  await deploy("production", 3);
  expect(await live()).toEqual(["staging 2", "production 3"]);
});

it("takes an application from such a server: production is the default, and has its first code", async () => {
  const id = newId("app");
  const place = (number: number, slug: string) =>
    `INSERT INTO agate.environments (id, application_id, number, slug, created_at)
     VALUES ('${newId("env")}', '${id}', ${number}, '${slug}', '${AT}')`;
  await earlier(
    `INSERT INTO agate.applications (id, project_id, slug, created_at)
     VALUES ('${id}', 'default', 'other', '${AT}')`,
    ...["development", "staging", "production"].map((slug, n) => place(n + 1, slug)),
  );
  const other = { ...APP, application: "other" };
  const environments = done(await registry.environments.list(other));
  expect(environments.map(({ is_default }) => is_default)).toEqual([false, false, true]);
  const build = done(await registry.builds.begin(other, newBuild()));
  await earlier(retireLive(id), makeLive(build.id));
  expect(await live(other)).toEqual(["production 1"]);
  expect(done(await registry.revisions.get(other, "default", 1)).params).toEqual({});
});
