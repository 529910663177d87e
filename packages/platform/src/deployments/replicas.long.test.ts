import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { newBuild } from "../registry/testing/go-live.fixture.ts";
import {
  activate,
  at,
  callService,
  deploy,
  logsOf,
  takeDown,
  workflow,
} from "../server/routes/deployments/testing/deploying.fixture.ts";
import { sendJson } from "../server/routes/registry/testing/registry-client.fixture.ts";
import type { TestPlatform, TestPlatformOptions } from "../server/testing/test-platform.fixture.ts";
import { startTestPlatform } from "../server/testing/test-platform.fixture.ts";
import { openPostgresRegistry } from "../stores/registry/open-postgres-registry.ts";
import type { PostgresAddress } from "../stores/store-address.ts";
import type { PostgresDatabases } from "../stores/testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../stores/testing/shared-databases.fixture.ts";
import { packageJson, startPackageRegistry } from "./builds/testing/package-registry.fixture.ts";
import { startBuildProcess } from "./processes/start-build-process.ts";
import { makeGate } from "./testing/gate.fixture.ts";
import { expectAnswer, statusesOf, UNWATCHFUL } from "./testing/replica-answers.fixture.ts";

let postgres: PostgresDatabases;
let registry: PostgresAddress;
let one: TestPlatform;
let two: TestPlatform;
/** Why the second replica cannot start builds; undefined while it can. */
let fault: string | undefined;
beforeAll(async () => {
  postgres = await sharedPostgres();
  registry = await postgres.createDatabase();
  one = await startTestPlatform({ registry, deploying: UNWATCHFUL });
  two = await startTestPlatform({
    registry,
    deploying: UNWATCHFUL,
    startBuild: async (program, options) =>
      fault === undefined
        ? startBuildProcess(program, options)
        : { kind: "failed", cause: "ended", reason: fault, log: [] },
  });
});
afterAll(async () => {
  await one.close();
  await two.close();
});

/** One more replica, with an empty data directory, for the time of a test. */
async function startThird(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const third = await startTestPlatform({ registry, ...options });
  onTestFinished(() => third.close());
  return third;
}

const PID = workflow("", { handle: "response.end(String(process.pid));" });
const NAME = workflow("", { handle: "response.end(process.env.AGATE_APPLICATION);" });

it("serves on every replica what was deployed, activated or stopped through any", async () => {
  expect((await deploy(one, "shop", workflow("first"))).status).toBe(201);
  await expectAnswer(two, "shop").toEqual({ status: 200, text: "first" });
  expect((await deploy(two, "shop", workflow("second"))).json.build.number).toBe(2);
  expect(await callService(two, "shop")).toEqual({ status: 200, text: "second" });
  await expectAnswer(one, "shop").toEqual({ status: 200, text: "second" });

  const back = await activate(two, "shop", 1);
  expect(back.json.build).toMatchObject({ number: 1, status: "live" });
  await expectAnswer(one, "shop").toEqual({ status: 200, text: "first" });

  expect((await takeDown(one, "shop")).status).toBe(204);
  await expectAnswer(two, "shop").toMatchObject({ status: 404 });
  expect((await activate(two, "shop", 2)).status).toBe(200);
  await expectAnswer(one, "shop").toEqual({ status: 200, text: "second" });
});

it("serves on a replica that has just been added what is live, and what was", async () => {
  await using packages = await startPackageRegistry();
  const install = await packages.publish({
    greeting: { "package.json": packageJson("greeting"), "index.js": "module.exports = 'hello';" },
  });
  const files = {
    ...install,
    "package.json": JSON.stringify({
      ...JSON.parse(install["package.json"] ?? ""),
      type: "module",
    }),
    "app.js": workflow("", {
      before: "import greeting from 'greeting';",
      handle: "response.end(greeting);",
    }),
  };
  expect((await deploy(one, "greeter", workflow("before"))).status).toBe(201);
  expect((await deploy(one, "greeter", { files })).status).toBe(201);
  const third = await startThird();
  // Before it listens: a balancer sends calls from then on.
  expect(await readdir(join(third.dataDirectory, "modules"))).toEqual([
    expect.stringMatching(/^[^.]/),
  ]);
  expect(await callService(third, "greeter")).toEqual({ status: 200, text: "hello" });
  expect((await activate(third, "greeter", 1)).status).toBe(200);
  expect(await callService(third, "greeter")).toEqual({ status: 200, text: "before" });
  await expectAnswer(one, "greeter").toEqual({ status: 200, text: "before" });
  // It installs packages three times.
}, 60_000);

it("lets a deploy be that another replica is in the middle of when one starts", async () => {
  await using gate = await makeGate();
  const deployed = deploy(one, "slow", workflow("slow", { before: gate.wait }));
  await expect.poll(() => statusesOf(two, "slow").catch(() => [])).toEqual([[1, "starting"]]);
  const third = await startThird();
  expect(await statusesOf(third, "slow")).toEqual([[1, "starting"]]);
  gate.open();
  expect((await deployed).status).toBe(201);
  await expectAnswer(third, "slow").toEqual({ status: 200, text: "slow" });
});

it("refuses what a replica that is gone has left, when one starts", async () => {
  await deploy(one, "left", workflow("x"));
  const ref = { project: "default", application: "left" };
  await one.registry.builds.begin(ref, newBuild());
  expect((await deploy(two, "left", workflow("y"))).json.build.number).toBe(3);
  await startThird({ deploying: UNWATCHFUL });
  expect(await statusesOf(one, "left")).toEqual([
    [3, "live"],
    [2, "refused"],
    [1, "retired"],
  ]);
  expect((await one.get(at("left", "/builds/2"))).json).toMatchObject({
    status: "refused",
    refusal: "The platform ended before the build could serve.",
  });
});

it("refuses the same while nothing else happens, and lets a deploy be that is under way", async () => {
  const watching = await startThird({ deploying: { watchMs: 20 } });
  await using gate = await makeGate();
  const deployed = deploy(one, "lively", workflow("lively", { before: gate.wait }));
  await expect.poll(() => statusesOf(two, "lively").catch(() => [])).toEqual([[1, "starting"]]);
  const ref = { project: "default", application: "forlorn" };
  await one.registry.applications.create(ref.project, ref.application);
  await one.registry.builds.begin(ref, newBuild());
  await expect.poll(() => statusesOf(two, "forlorn")).toEqual([[1, "refused"]]);
  await expect
    .poll(async () => (await watching.logLines()).map(({ msg }) => msg))
    .toContain("Deploys were interrupted.");
  expect(await statusesOf(two, "lively")).toEqual([[1, "starting"]]);
  gate.open();
  expect((await deployed).status).toBe(201);
});

it("refuses no build, of this release or an earlier one, whose server still holds its lease", async () => {
  const ref = { project: "default", application: "held" };
  const application = await one.registry.applications.create(ref.project, ref.application);
  const id = application.kind === "done" ? application.value.id : "";
  const { id: own } = newBuild();
  await one.registry.builds.begin(ref, newBuild({ id: own }));
  await one.registry.builds.begin(ref, newBuild());
  // As servers of the release before write it: under a lease of the whole application.
  const older =
    "UPDATE agate.builds SET status = 'starting' WHERE application_id = $1 AND number = 2";
  await postgres.query(registry, older, [id]);
  const database = await openPostgresRegistry(registry);
  onTestFinished(async () => {
    await database.signals.close();
    await database.db.destroy();
  });
  const { signal } = new AbortController();
  const leases = await Promise.all(
    [own, id].map((key) => database.sharedBuilds.acquireLease(key, signal)),
  );
  const unfinished = [
    [2, "starting"],
    [1, "starting"],
  ];
  await startThird({ deploying: UNWATCHFUL });
  expect(await statusesOf(one, "held")).toEqual(unfinished);
  await leases[0]?.[Symbol.asyncDispose]();
  await startThird({ deploying: UNWATCHFUL });
  expect(await statusesOf(one, "held")).toEqual([
    [2, "starting"],
    [1, "refused"],
  ]);
  await leases[1]?.[Symbol.asyncDispose]();
  await startThird({ deploying: UNWATCHFUL });
  expect(await statusesOf(one, "held")).toEqual([
    [2, "refused"],
    [1, "refused"],
  ]);
});

it("serves what was deployed or renamed through another a moment ago, before it was told", async () => {
  const untold = await startThird({ isUntold: true });
  expect(await callService(untold, "fresh")).toMatchObject({ status: 404 });
  expect((await deploy(one, "fresh", workflow("hello"))).status).toBe(201);
  expect(await callService(untold, "fresh")).toEqual({ status: 200, text: "hello" });
  await sendJson(one, "PATCH", at("fresh"), { slug: "fresher" });
  expect(await callService(untold, "fresher")).toEqual({ status: 200, text: "hello" });
});

it("starts the live build anew on every replica when it is activated", async () => {
  await deploy(one, "again", PID);
  await expectAnswer(two, "again").toMatchObject({ status: 200 });
  const before = await callService(two, "again");
  expect((await activate(one, "again", 1)).status).toBe(200);
  await expectAnswer(two, "again").not.toEqual(before);
});

it("fetches the files of a build again that the disk has damaged", async () => {
  const { json } = await deploy(one, "rotten", PID);
  await expectAnswer(two, "rotten").toMatchObject({ status: 200 });
  const file = join(two.dataDirectory, "builds", json.build.id, "app.js");
  const sound = await readFile(file, "utf8");
  await writeFile(file, sound.replace("createServer", "createserver"));
  const before = await callService(two, "rotten");
  process.kill(Number(before.text), "SIGKILL");
  await expectAnswer(two, "rotten").toEqual({ status: 200, text: expect.stringMatching(/^\d+$/) });
  expect(await callService(two, "rotten")).not.toEqual(before);
  expect(await readFile(file, "utf8")).toBe(sound);
});

it("follows a rename on every replica, and stamps the new name", async () => {
  await deploy(one, "old-name", NAME);
  await expectAnswer(two, "old-name").toEqual({ status: 200, text: "old-name" });
  await sendJson(one, "PATCH", at("old-name"), { slug: "new-name" });
  await expectAnswer(two, "new-name").toEqual({ status: 200, text: "new-name" });
  expect(await callService(two, "old-name")).toMatchObject({ status: 404 });
});

it("goes on with the old build where the new one cannot be started, until it can", async () => {
  await deploy(one, "stubborn", workflow("old"));
  await expectAnswer(two, "stubborn").toMatchObject({ text: "old" });
  fault = "It has no licence here.";
  onTestFinished(() => {
    fault = undefined;
  });
  expect((await deploy(one, "stubborn", workflow("new"))).status).toBe(201);
  const lines = async () => (await logsOf(two, "stubborn")).map(({ line }) => line);
  const told = expect.stringMatching(
    /^Build 1 keeps serving: this one could not be started\. It has no licence here\. Retrying in \d+\.\d s\.$/,
  );
  await expect.poll(lines).toEqual(expect.arrayContaining([told]));
  // More than once, without a failed call.
  await expect
    .poll(async () => (await lines()).filter((line) => /Retrying/.test(line)).length)
    .toBeGreaterThan(2);
  expect(await callService(two, "stubborn")).toEqual({ status: 200, text: "old" });
  expect((await two.logLines()).map(({ msg }) => msg)).toContainEqual(
    expect.stringContaining("Build 1 keeps serving: this one could not be started."),
  );
  fault = undefined;
  await expectAnswer(two, "stubborn").toEqual({ status: 200, text: "new" });
});

/** Deploys a build whose packages no other replica can install until this is disposed of. */
async function deployUninstallable(
  platform: TestPlatform,
  application: string,
): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const packages = parts.use(await startPackageRegistry());
  const installing = parts.use(await makeGate());
  const starting = parts.use(await makeGate());
  const scripts = { postinstall: "node prepare.mjs" };
  const name = `large-for-${application}`;
  const install = await packages.publish({
    [name]: { "package.json": packageJson(name, { scripts }), "prepare.mjs": installing.wait },
  });
  installing.open();
  const files = { ...install, "app.mjs": workflow("new", { before: starting.wait }) };
  const deployed = deploy(platform, application, {
    files,
    manifest: { entry: "app.mjs", allow: ["addons"] },
  });
  const finished = [expect.stringMatching(/^[^.]/)];
  await expect.poll(() => installsOf(platform, application)).toEqual(finished);
  installing.shut();
  starting.open();
  expect((await deployed).status).toBe(201);
  // So that npm ends.
  parts.defer(() => installing.open());
  return parts.move();
}

/** The sets of packages of {@link deployUninstallable}, finished or not. */
async function installsOf(platform: TestPlatform, application: string): Promise<string[]> {
  const sets = join(platform.dataDirectory, "modules");
  const names = await readdir(sets).catch(() => []);
  const inside = `node_modules/large-for-${application}`;
  return names.filter((name) => existsSync(join(sets, name, inside)));
}

const UNFINISHED = [expect.stringMatching(/^\.installing-/)];

it("serves the old build while packages take long, and waits for none that was taken back", async () => {
  await deploy(one, "lasting", workflow("old"));
  await expectAnswer(two, "lasting").toMatchObject({ text: "old" });
  await using _ = await deployUninstallable(one, "lasting");
  await expect.poll(() => installsOf(two, "lasting")).toEqual(UNFINISHED);
  expect(await callService(two, "lasting")).toEqual({ status: 200, text: "old" });

  expect((await takeDown(one, "lasting")).status).toBe(204);
  await expectAnswer(two, "lasting").toMatchObject({ status: 404 });
  expect(await installsOf(two, "lasting")).toEqual(UNFINISHED);
});

it("starts a crashed build again while the packages of another cannot be fetched", async () => {
  // Of their own: one that starts builds one by one would be busy with those of all tests.
  const own = await postgres.createDatabase();
  const first = await startThird({ registry: own });
  const second = await startThird({ registry: own, deploying: { mostAtATime: 1 } });
  await deploy(first, "healthy", PID);
  await deploy(first, "hungry", workflow("old"));
  await expectAnswer(second, "healthy").toMatchObject({ status: 200 });
  await expectAnswer(second, "hungry").toMatchObject({ text: "old" });
  await using _ = await deployUninstallable(first, "hungry");
  await expect.poll(() => installsOf(second, "hungry")).toEqual(UNFINISHED);
  const { text: pid } = await callService(second, "healthy");
  process.kill(Number(pid), "SIGKILL");
  const another = expect.not.stringMatching(`^${pid}$`);
  await expectAnswer(second, "healthy").toEqual({ status: 200, text: another });
  expect(await installsOf(second, "hungry")).toEqual(UNFINISHED);
});

it("keeps no archive of a build that was refused, and no files of what was deleted elsewhere", async () => {
  const first = await deploy(one, "tidy", workflow("x"));
  await expectAnswer(two, "tidy").toMatchObject({ status: 200 });
  expect((await deploy(one, "tidy", "process.exit(1);")).status).toBe(422);
  const archives = () =>
    postgres.query(
      registry,
      `SELECT number FROM agate.build_archives JOIN agate.builds ON builds.id = build_id
       WHERE application_id = $1`,
      [first.json.application.id],
    );
  expect(await archives()).toEqual([{ number: 1 }]);
  const files = () => readdir(join(two.dataDirectory, "builds"));
  expect(await files()).toContain(first.json.build.id);
  await takeDown(one, "tidy");
  await expectAnswer(two, "tidy").toMatchObject({ status: 404 });
  expect((await one.send({ method: "DELETE", path: at("tidy") })).status).toBe(204);
  expect(await archives()).toEqual([]);
  await deploy(one, "after-tidy", workflow("y"));
  await expect.poll(files).not.toContain(first.json.build.id);
});
