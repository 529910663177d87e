import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Backups } from "../../backup/take-backup.ts";
import { ChangeStreams } from "../changes/change-streams.ts";
import { LiveFeeds } from "../live/live-feed.ts";
import { PageFiles } from "../page/page-files.ts";
import type { Route } from "../route.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";
import { allRoutes } from "./all-routes.ts";

const PAGE = new URL("../../../../../docs/reference/http-api.md", import.meta.url);
const page = readFileSync(PAGE, "utf8");

let platform: TestPlatform;
let routes: readonly Route[];
beforeAll(async () => {
  platform = await startTestPlatform();
  const { store, ingest, access, registry, deployer } = platform;
  const onError = () => {};
  routes = allRoutes({
    store,
    ingest,
    access,
    registry,
    backups: new Backups({ dataDirectory: platform.dataDirectory, spans: true, registry: true }),
    feeds: new LiveFeeds({ store, onError }),
    changes: new ChangeStreams({ registry, onError }),
    deployer,
    executor: { startRun: onError as never, notice: onError },
    evaluators: deployer.evaluators,
    readiness: { failing: async () => [] },
    page: new PageFiles(),
    maxBodyBytes: 1,
    maxBuildBytes: 1,
    now: Date.now,
    onStoreUnavailable: onError,
    answerError: (error) => {
      throw error;
    },
  });
});
afterAll(() => platform.close());

it("lists the same paths in the code and in docs/reference/http-api.md", () => {
  const rows = [...page.matchAll(/^\| `([A-Z]+)` \| `(\S+)` \| (.+) \|$/gm)];
  const served = routes.map(({ method, path, operation }) => [method, path, operation.summary]);
  expect(rows.map(([, ...cells]) => cells)).toEqual(served);
});

it("lists the same parameters of lists there", async () => {
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| ([A-Z].+) \|$/gm)];
  for (const id of ["listTraces", "listSpans"]) {
    const { parameters } = await operationOf(id);
    const taken = parameters.map(({ name, description }) => [name, description]);
    expect(rows.map(([, ...cells]) => cells)).toEqual(taken);
  }
});

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly description: string }[];
}

async function operationOf(id: string): Promise<DocumentedOperation> {
  const { paths } = (await platform.get("/openapi.json")).json;
  const operations = Object.values(paths).flatMap((path) => Object.values(path as object));
  return operations.find(({ operationId }: DocumentedOperation) => operationId === id);
}
