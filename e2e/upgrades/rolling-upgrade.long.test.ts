import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { must } from "../deployments/numbered-pairs.fixture.ts";
import { openLoad } from "../deployments/open-load.fixture.ts";
import { openPacker, type Packer, support } from "../deployments/pack-workflow.fixture.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import {
  BEFORE_ENVIRONMENTS,
  buildEarlierRelease,
  type EarlierRelease,
  hasCommit,
} from "./earlier-release.fixture.ts";

// Three servers of the release before environments had builds of their own, on one PostgreSQL, are replaced
// one by one while calls arrive. The load sends nothing to a server that is about to stop and waits for the
// calls that it has, as a balancer does; it repeats no call. None fails, and what servers of either release
// deploy meanwhile, code or configuration, reaches all of them.

const CALL = { path: "/services/support/run/say", body: { inputs: { text: "x" } } };
const hasHistory = await hasCommit(BEFORE_ENVIRONMENTS);

describe.skipIf(!hasHistory)(
  `an upgrade from ${BEFORE_ENVIRONMENTS.slice(0, 8)} (skipped where the clone is too shallow to have it)`,
  () => {
    let earlier: EarlierRelease;
    let packer: Packer;
    beforeAll(async () => {
      [earlier, packer] = await Promise.all([
        buildEarlierRelease(BEFORE_ENVIRONMENTS),
        openPacker(),
      ]);
    }, 600_000);
    afterAll(async () => {
      await Promise.all([earlier, packer].map((each) => each?.[Symbol.asyncDispose]()));
    });

    it("fails no call, and takes changes through servers of both releases", async () => {
      await using parts = new AsyncDisposableStack();
      const { url: database } = await (await sharedPostgres()).createDatabase();
      const folders = await Promise.all([emptyDataFolder(), emptyDataFolder(), emptyDataFolder()]);
      for (const folder of folders) parts.use(folder);
      const start = async (n: number, program?: string): Promise<RunningServer> => {
        const server = await startServer({
          flags: ["--store", database, "--registry", database],
          dataDirectory: folders[n]!.path,
          ...(program !== undefined && { program }),
        });
        parts.use(server);
        const ready = async () => (await fetch(`${server.url}/health/ready`)).status;
        await expect.poll(ready, { timeout: 60_000 }).toBe(200);
        return server;
      };
      const [a, b, c] = (await Promise.all([0, 1, 2].map((n) => start(n, earlier.program)))) as [
        RunningServer,
        RunningServer,
        RunningServer,
      ];
      const servers = [a, b, c];
      const archives = new Map<string, Uint8Array<ArrayBuffer>>();
      for (const word of ["one", "two", "three", "four"]) {
        archives.set(word, await packer.pack(support(word)));
      }
      const deploy = (server: RunningServer, word: string, query: string, application?: string) =>
        deployClient(server.url, application).mustDeploy(archives.get(word)!, query);
      /** Every server comes to answer so. */
      const expectAll = async (said: string, application?: string) => {
        for (const { url } of servers) {
          const answer = async () =>
            (await deployClient(url, application).call("/run/say", CALL.body)).json();
          await expect.poll(answer, { timeout: 60_000 }).toMatchObject({ data: `${said} x` });
        }
      };
      let revision = 1;
      const configure = async ({ url }: RunningServer, word: string) => {
        const client = deployClient(url);
        const params = { "/say": { word } };
        const commit = { params, base_revision: revision++ };
        await must(client.send("POST", "/variants/default/revisions", commit));
        const made = { variant: "default" };
        await must(client.send("POST", "/environments/production/deployments", made));
      };

      await deploy(a, "one", "?environment=production");
      await expectAll("one default");
      const load = openLoad({
        ...CALL,
        perSecond: 100,
        mostWaiting: 1000,
        faultOf: (status, body) =>
          status === 200 &&
          /"data":"(?:one|two|three|four) (?:default|red|blue|green) x"/.test(body)
            ? undefined
            : `${status} ${body}`,
      });
      for (const { url } of servers) load.join(url);
      await load.more(100);
      const upgrade = async (n: number): Promise<RunningServer> => {
        const before = servers[n]!;
        load.leave(before.url, "drains");
        await load.drained(before.url);
        expect(await before.stop()).toBe(0);
        const after = await start(n);
        servers[n] = after;
        load.join(after.url);
        await load.more(100);
        return after;
      };

      const newA = await upgrade(0);
      // Through servers of the release before: code alone, a configuration, an application.
      await deploy(b, "two", "");
      await expectAll("two default");
      await configure(c, "red");
      await expectAll("two red");
      await deploy(b, "one", "", "other");
      await expectAll("one default", "other");
      // Through one of this release.
      await deploy(newA, "three", "?environment=production");
      await expectAll("three red");
      await configure(newA, "blue");
      await expectAll("three blue");
      await deploy(newA, "four", "?environment=staging&variant=default");
      await load.more(50);
      await expectAll("three blue");

      const newB = await upgrade(1);
      const first = await deployClient(c.url).send("POST", "/builds/1/activate");
      expect(first.status, await first.text()).toBe(200);
      await expectAll("one blue");
      await configure(c, "green");
      await expectAll("one green");
      const back = deployClient(newB.url).send("POST", "/environments/production/rollback", {});
      await must(back);
      await expectAll("one blue");

      const newC = await upgrade(2);
      const promote = { from: "staging", code_only: true };
      await must(deployClient(newC.url).send("POST", "/environments/production/promote", promote));
      await expectAll("four blue");
      await load.stop();
      expect(load.failures.slice(0, 5)).toEqual([]);
      console.log(`${load.answered} calls, ${load.putOff} put off`);
    });
  },
);
