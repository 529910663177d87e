import type { ServerState } from "@agate/protocol";
import type { ServerReports } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { findApplication, inTransaction, storableText } from "./registry-context.ts";
import { done } from "./registry-outcome.ts";

/** A server that has not reported for this long is gone: it reports every 30 s. */
const STALE_MS = 2 * 60_000;
/** Reports of servers that were killed are deleted after this long. */
const KEPT_MS = 60 * 60_000;
/** How often a process must have ended, with none left, for a crash loop. */
const CRASH_LOOP_RESTARTS = 2;
/** Characters of a reason that are kept. */
const LONGEST_EXIT = 500;
const MIB = 1024 ** 2;

export function createServerReports(context: RegistryContext): ServerReports {
  const { db, now } = context;
  const before = (ms: number) => new Date(Date.parse(now()) - ms).toISOString();
  return {
    async write(serverId, reports) {
      await inTransaction(context, async (tx) => {
        await tx
          .deleteFrom("server_reports")
          .where((eb) =>
            eb.or([eb("server_id", "=", serverId), eb("reported_at", "<", before(KEPT_MS))]),
          )
          .execute();
        const ids = reports.map(({ environmentId }) => environmentId);
        if (ids.length === 0) return done(null);
        const found = await tx
          .selectFrom("environments")
          .select("id")
          .where("id", "in", ids)
          .where("deleted_slug", "is", null)
          .execute();
        // One may have been deleted since its processes were counted.
        const known = new Set(found.map(({ id }) => id));
        const rows = reports
          .filter(({ environmentId }) => known.has(environmentId))
          .map((report) => ({
            server_id: serverId,
            environment_id: report.environmentId,
            build_id: report.buildId,
            processes: report.processes,
            restarts: report.restarts,
            last_exit: report.lastExit && storableText(report.lastExit).slice(0, LONGEST_EXIT),
            memory_mib: report.memoryBytes && Math.round(report.memoryBytes / MIB),
            reported_at: now(),
          }));
        if (rows.length > 0) await tx.insertInto("server_reports").values(rows).execute();
        return done(null);
      });
    },

    async list(ref) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const rows = await db
        .selectFrom("server_reports")
        .innerJoin("environments", "environments.id", "server_reports.environment_id")
        .leftJoin("builds", "builds.id", "server_reports.build_id")
        .select([
          "server_reports.server_id as server",
          "environments.slug as environment",
          "builds.number as build",
          "server_reports.processes",
          "server_reports.restarts",
          "server_reports.last_exit",
          "server_reports.memory_mib",
          "server_reports.reported_at",
        ])
        .where("environments.application_id", "=", application.value.id)
        .where("server_reports.reported_at", ">=", before(STALE_MS))
        .orderBy("environments.number")
        .orderBy("server_reports.server_id")
        .execute();
      return done(
        rows.map(({ memory_mib: memory, ...row }) => ({
          ...row,
          state: stateOf(row),
          memory_bytes: memory && memory * MIB,
        })),
      );
    },
  };
}

function stateOf({
  processes,
  restarts,
}: {
  readonly processes: number;
  readonly restarts: number;
}): ServerState {
  if (processes > 0) return "serving";
  return restarts >= CRASH_LOOP_RESTARTS ? "crash_loop" : "idle";
}
