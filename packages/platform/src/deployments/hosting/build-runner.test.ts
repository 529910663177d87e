import { expect, it } from "vitest";
import type { StartFailure } from "../processes/start-build-process.ts";
import { prepareBuilds } from "./build-runner.ts";

const build = (id: string) => ({ id, applicationId: "app_1", allow: [], manifest_sha256: null });
const FAILURE: StartFailure = { kind: "failed", cause: "ended", reason: "No.", log: [] };

it("waits for all builds, also where some fail", async () => {
  const begun: string[] = [];
  let done = 0;
  await prepareBuilds(
    {
      async prepare({ id }) {
        begun.push(id);
        await Promise.resolve();
        done++;
        if (id === "bld_2") throw new Error("away");
        return FAILURE;
      },
    },
    ["bld_1", "bld_2", "bld_3"].map(build),
    60_000,
  );
  expect(begun).toEqual(["bld_1", "bld_2", "bld_3"]);
  expect(done).toBe(3);
});

it("does not wait for ever", async () => {
  const never = new Promise<StartFailure>(() => {});
  await prepareBuilds({ prepare: () => never }, [build("bld_1")], 1);
});
