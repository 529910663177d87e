import fc from "fast-check";
import { expect, it } from "vitest";
import type { Lease } from "../services.ts";
import { LeasedProcess } from "./leases.ts";
import type { BuildProcess } from "./start-build-process.ts";

/** What a lease needs of a process. */
const PROCESS: Pick<BuildProcess, "socketPath" | "openapi" | "ended" | "stop"> = {
  socketPath: "/nowhere",
  openapi: null,
  ended: new Promise(() => {}),
  stop: async () => {},
};

function leasedProcess(): LeasedProcess {
  const options = { watch: null, onUnreachable: () => {}, onChecked: () => {} };
  return new LeasedProcess(PROCESS as BuildProcess, options);
}

it("cuts off the leases that are not released, each once, in whatever order the others are", async () => {
  const steps = fc.array(fc.oneof(fc.constant("lease" as const), fc.nat(40)), { maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const leased = leasedProcess();
      const held: Lease[] = [];
      const released: Lease[] = [];
      const cutOff: Lease[] = [];
      for (const step of given) {
        if (step === "lease") {
          const lease = leased.lease();
          const onTimeUp = () => {
            cutOff.push(lease);
            lease.release();
          };
          lease.holder = { onTimeUp };
          held.push(lease);
        } else {
          const [lease] = held.splice(step % Math.max(1, held.length), 1);
          if (lease !== undefined) released.push(lease);
          lease?.release();
          // A second release must not take another lease away.
          released[step % Math.max(1, released.length)]?.release();
        }
        expect(leased.leases).toBe(held.length);
        expect(leased.idleSince === Number.POSITIVE_INFINITY).toBe(held.length > 0);
      }
      expect(await leased.retire({ drainMs: 0, stopMs: 0 })).toBe(held.length);
      expect(new Set(cutOff)).toEqual(new Set(held));
      expect(cutOff).toHaveLength(held.length);
      expect(leased.leases).toBe(0);
    }),
  );
});
