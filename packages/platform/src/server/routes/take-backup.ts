import type { Backup, Backups } from "../../backup/take-backup.ts";
import type { StreamAnswer } from "../answer.ts";
import { problemAnswer } from "../answer.ts";
import type { Route } from "../route.ts";
import { content, route } from "../route.ts";

const TAR = "application/x-tar";

/** `POST /backups`: a backup of the whole platform, which is taken while the client waits. */
export function takeBackupRoute(backups: Backups): Route {
  return route({
    method: "POST",
    path: "/backups",
    access: "backup",
    id: "takeBackup",
    tag: "platform",
    summary: "Take a backup of the platform",
    description:
      "A tar with `spans.db`, `registry.db` and the files of builds as they were at one moment, and a manifest of their SHA-256 as its last entry. `agate restore` takes it. It holds every project, so it needs the scope `backup`, which `admin` does not include. The headers come when the databases are copied, which takes seconds for each gigabyte. What is kept in PostgreSQL or ClickHouse is not in it.",
    success: content(
      TAR,
      "The backup. A connection that ends early leaves an archive without a manifest.",
      { type: "string", format: "binary" },
    ),
    errors: ["backup_running", "backup_elsewhere", "backup_unavailable"],
    answer: async () => {
      const outcome = await backups.take();
      switch (outcome.kind) {
        case "taken":
          return archiveAnswer(outcome);
        case "running":
          return problemAnswer({
            type: "backup_running",
            loc: [],
            msg: "Another backup is being taken. Try again when it has ended.",
          });
        case "elsewhere":
          return problemAnswer({
            type: "backup_elsewhere",
            loc: [],
            msg: "This server keeps spans and registry in databases. Back these up with their own tools (pg_dump, BACKUP DATABASE).",
          });
        case "failed":
          return problemAnswer({ type: "backup_unavailable", loc: [], msg: outcome.reason });
      }
    },
  });
}

function archiveAnswer(backup: Backup): StreamAnswer {
  const time = backup.manifest.created_at.replaceAll(/[-:]|\.\d+/g, "");
  return {
    kind: "stream",
    status: 200,
    contentType: TAR,
    headers: {
      "cache-control": "no-store",
      "content-disposition": `attachment; filename="agate-${time}.tar"`,
    },
    open: () => archiveOf(backup),
  };
}

async function* archiveOf(backup: Backup): AsyncGenerator<Uint8Array, void, void> {
  await using _ = backup;
  yield* backup.archive();
}
