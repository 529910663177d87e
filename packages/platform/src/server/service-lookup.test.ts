import { DEFAULT_PROJECT_ID } from "@agate/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Services } from "../deployments/services.ts";
import { done } from "../registry/contract/subject.fixture.ts";
import { summarizeDocument } from "../registry/schema/workflow-document.fixture.ts";
import { goLive, newBuild } from "../registry/testing/go-live.fixture.ts";
import type { Answer } from "./answer.ts";
import type { ServiceEndpoint } from "./service-endpoint.ts";
import { createServiceLookup, isFound } from "./service-lookup.ts";
import type { TestPlatform } from "./testing/test-platform.fixture.ts";
import { startTestPlatform } from "./testing/test-platform.fixture.ts";

const project = DEFAULT_PROJECT_ID;
const SERVICE = {
  application: { id: "app_1", slug: "any" },
  acquire: () => new Promise<never>(() => {}),
};

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

/** An application whose builds are live in the registry, on a server that has started none yet. */
async function applicationWith(application: string, environments: readonly string[]) {
  const { registry } = platform;
  const ref = { project, application };
  done(await registry.applications.create(project, application));
  done(await registry.variants.create(ref, "default"));
  const { id: build } = done(await registry.builds.begin(ref, newBuild()));
  for (const environment of environments) done(await goLive(registry, ref, { environment, build }));
  const services = new Services();
  const lookUp = createServiceLookup({ services, registry, deployer: { catchUp: async () => {} } });
  const find = async (name: string | null, endpoint: ServiceEndpoint = "deployed") => {
    const named = name === null ? null : { name, loc: ["path", "environment"] as const };
    const found = await lookUp({ project, application, named, endpoint });
    return isFound(found) ? found : described(found);
  };
  return { ref, services, find };
}

function described(answer: Answer) {
  if (answer.kind !== "full") throw new Error(answer.kind);
  const [{ type, msg }] = JSON.parse(String(answer.body)).detail;
  return { status: answer.status, type, msg, retryAfter: answer.headers?.["retry-after"] };
}

it("tells to call again while the live build of the environment is being started here", async () => {
  const { find } = await applicationWith("starting", ["staging", "production"]);
  const starting = {
    status: 503,
    type: "service_unavailable",
    msg: "Build 1 of starting is being started.",
    retryAfter: "1",
  };
  expect(await find("staging")).toEqual(starting);
  expect(await find("production")).toEqual(starting);
  expect(await find(null)).toEqual(starting);
  expect(await find("staging", "playground")).toEqual(starting);
  const missing = { status: 404, type: "service_not_found", retryAfter: undefined };
  expect(await find("development")).toMatchObject(missing);
});

it("does not wait for what runs elsewhere, nor for another environment than the one called", async () => {
  const { find, ref } = await applicationWith("elsewhere", ["staging"]);
  const put = { environment: "production", by: "tests" };
  done(await platform.registry.applications.putSchema(ref, await summarizeDocument(1), put));
  const missing = { status: 404, type: "service_not_found", retryAfter: undefined };
  expect(await find("production")).toMatchObject(missing);
  expect(await find(null)).toMatchObject(missing);
});

it("names an environment whose playground is off where no other one serves", async () => {
  const { find, ref, services } = await applicationWith("closed", ["staging"]);
  const { registry } = platform;
  const { id, slug } = done(await registry.environments.setPlayground(ref, "staging", false));
  const application = done(await registry.applications.get(ref));
  services.add(
    { project, application, id, slug, number: 2, isDefault: false, playground: false },
    SERVICE,
  );
  expect(await find(null, "playground")).toMatchObject({
    status: 403,
    type: "playground_off",
    msg: "The playground of closed is off in staging. Switch it on: agate environments playground closed staging on.",
  });
  expect(await find(null)).toMatchObject({
    status: 404,
    type: "service_not_found",
    msg: "No build serves closed in production. Deploy one: agate deploy app.ts --app closed --environment production.",
  });
});
