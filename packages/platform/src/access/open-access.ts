import type { OpenRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import type { RegistrySignals } from "../stores/registry/registry-signals.ts";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { SerialQueue } from "../stores/registry/serial-queue.ts";
import type { AccessControl, Credentials } from "./access-control.ts";
import { ApiKeys } from "./api-keys.ts";
import { attemptCounter } from "./attempt-counter.ts";
import type { AccessPolicy } from "./create-access-control.ts";
import { createAccessControl } from "./create-access-control.ts";
import { followSignals } from "./follow-signals.ts";
import type { InternalKeys } from "./internal-keys.ts";
import { createInternalKeys } from "./internal-keys.ts";
import { KeyRing } from "./key-ring.ts";
import { LastUses } from "./last-uses.ts";
import { lookUpNewcomers } from "./look-up-newcomers.ts";
import { ProjectDirectory } from "./project-directory.ts";
import { Sessions } from "./sessions.ts";

export interface AccessOptions {
  /** Closed by whoever opened it, after this. */
  readonly db: RegistryDatabase;
  /** Where changes of others are read: over a connection that does not stall. By default the same. */
  readonly watchDb?: RegistryDatabase;
  /** Tells what others do to projects and keys. */
  readonly signals: Pick<RegistrySignals, "subscribe" | "areShared">;
  /** Tells the same in another way, where signals may fail to come. */
  readonly accessVersion?: OpenRegistryDatabase["accessVersion"];
  readonly policy: AccessPolicy;
  /** Requests a second for each key, twice as many at once; 0: no limit. */
  readonly rateLimit: number;
  /** Called now and then with how many requests came with a key that is none. */
  readonly onInvalidKeys: (attempts: number) => void;
  /** When each key was last used could not be written. */
  readonly onSaveFailed: (error: unknown) => void;
  /** What others have changed could not be read. It is tried again. */
  readonly onReloadFailed: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Who may do what, in one process. */
export interface OpenAccess {
  readonly control: AccessControl;
  readonly keys: ApiKeys;
  readonly sessions: Sessions;
  readonly internalKeys: InternalKeys;
  /** The redaction rules of a project, by its id, as JSON; null where it has none. */
  redactionOf(project: string): string | null;
  /**
   * To be waited for before {@link control} is asked: what these name may have been made by another
   * replica a moment ago. Gives undefined where there is nothing to wait for; null where there are no
   * replicas.
   */
  readonly lookUp: ((credentials: Credentials) => Promise<void> | undefined) | null;
  /** Takes over what has changed in the registry's projects and keys. */
  reload(): Promise<void>;
  /** Writes what is still to be written. */
  close(): Promise<void>;
}

/** Reads the registry's projects and keys, and answers for them from memory. */
export async function openAccess(options: AccessOptions): Promise<OpenAccess> {
  const { db, watchDb = db, signals, policy, rateLimit, now = Date.now } = options;
  const { onInvalidKeys, onSaveFailed, onReloadFailed: onFailed } = options;
  const ring = new KeyRing();
  const projects = new ProjectDirectory();
  const lastUses = new LastUses({ db, onSaveFailed });
  const keys = new ApiKeys({
    db,
    ring,
    lastUses,
    rateLimit: rateLimit === 0 ? null : { perSecond: rateLimit, burst: 2 * rateLimit },
    now,
  });
  const sessions = new Sessions({ db, ring, now });
  const onInvalidKey = attemptCounter(onInvalidKeys, now);
  // One after the other: what was read first must not replace what was read last.
  const turns = new SerialQueue();
  const readAll = async (from: RegistryDatabase) => {
    projects.replace(await from.selectFrom("projects").select(["id", "slug"]).execute());
    projects.replaceRedaction(
      await from.selectFrom("redaction_rules").select(["project_id", "rules"]).execute(),
    );
    await keys.reload(from);
    await sessions.reload(from);
  };
  const reload = () =>
    turns.run(async () => {
      if (watchDb === db) return readAll(db);
      // Twice: a connection that has stalled is replaced by another. The other pool may have stalled
      // too, and takes long to notice.
      for (let attempt = 1; attempt <= 2; attempt++) {
        const isRead = await readAll(watchDb).then(
          () => true,
          () => false,
        );
        if (isRead) return;
      }
      // It gives up early, which more keys than it reads in time would never get past.
      await readAll(db);
    });
  const following = followSignals(signals, reload, onFailed, options.accessVersion);
  await reload();
  return {
    control: createAccessControl({ policy, ring, sessions, projects, lastUses, onInvalidKey, now }),
    keys,
    sessions,
    internalKeys: createInternalKeys(ring),
    redactionOf: (project) => projects.redactionOf(project),
    lookUp: signals.areShared
      ? lookUpNewcomers({
          ring,
          lookUpKey: (hash) => keys.lookUp(hash, watchDb),
          sessions,
          projects,
          reload,
          onFailed,
          now,
        })
      : null,
    reload,
    async close() {
      await following.stop();
      await lastUses.save();
    },
  };
}
