import type { OpenRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import type { RegistrySignals } from "../stores/registry/registry-signals.ts";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { SerialQueue } from "../stores/registry/serial-queue.ts";
import type { AccessControl, AccessPolicy, Credentials } from "./access-control.ts";
import { createAccessControl } from "./access-control.ts";
import { apiKeyIn, hashApiKey, isSessionToken } from "./api-key-text.ts";
import { ApiKeys } from "./api-keys.ts";
import { followSignals } from "./follow-signals.ts";
import type { InternalKeys } from "./key-ring.ts";
import { createInternalKeys, KeyRing, TokenBucket } from "./key-ring.ts";
import { LastUses } from "./last-uses.ts";
import { ProjectDirectory } from "./project-directory.ts";
import { Sessions } from "./sessions.ts";

export interface AccessOptions {
  /** Closed by the caller, after this. */
  readonly db: RegistryDatabase;
  /** For reading changes of other replicas, over connections that time out early. By default the same. */
  readonly watchDb?: RegistryDatabase;
  /** Announces changes of projects and keys. */
  readonly signals: Pick<RegistrySignals, "subscribe" | "areShared">;
  /** Announces the same by polling, in case signals get lost. */
  readonly accessVersion?: OpenRegistryDatabase["accessVersion"];
  readonly policy: AccessPolicy;
  /** Requests a second for each key, twice as many at once; 0: no limit. */
  readonly rateLimit: number;
  /** Called at intervals with the number of requests with an invalid key. */
  readonly onInvalidKeys: (attempts: number) => void;
  /** The times of last use could not be written. */
  readonly onSaveFailed: (error: unknown) => void;
  /** Changes of other replicas could not be read. The read is retried. */
  readonly onReloadFailed: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Authentication and API keys of one process. */
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
  /** Loads changes of the registry's projects and keys. */
  reload(): Promise<void>;
  /** Writes the times of last use that are not yet saved. */
  close(): Promise<void>;
}

/** Loads the registry's projects and keys, and authenticates from memory. */
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
  // One after the other: an older read must not replace a newer one.
  const queue = new SerialQueue();
  const readAll = async (from: RegistryDatabase) => {
    projects.replace(await from.selectFrom("projects").select(["id", "slug"]).execute());
    projects.replaceRedaction(
      await from.selectFrom("redaction_rules").select(["project_id", "rules"]).execute(),
    );
    await keys.reload(from);
    await sessions.reload(from);
  };
  const reload = () =>
    queue.run(async () => {
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
      ? lookUpUnknown({
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

/** For all unknown credentials together: clients with invalid ones must not keep the database busy. */
const RATE = { perSecond: 20, burst: 40 };

interface LookUpOptions {
  readonly ring: KeyRing;
  readonly lookUpKey: (hash: string) => Promise<void>;
  readonly sessions: Pick<Sessions, "find">;
  readonly projects: ProjectDirectory;
  readonly reload: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Looks for a key, a session or a project that another replica has made a moment ago, before it was told: who made
 * it may be faster here than the signal. Undefined, at once, where there is nothing to look for.
 */
function lookUpUnknown(
  options: LookUpOptions,
): (credentials: Credentials) => Promise<void> | undefined {
  const { ring, lookUpKey, sessions, projects, reload, onFailed, now } = options;
  const bucket = new TokenBucket(RATE, now());

  function search({ authorization, session, project }: Credentials) {
    if (authorization !== undefined && ring.find(authorization) === undefined) {
      const key = apiKeyIn(authorization);
      return key && (() => lookUpKey(hashApiKey(key)));
    }
    const isByCookie = authorization === undefined && session !== undefined;
    if (isByCookie && isSessionToken(session) && sessions.find(session) === undefined) {
      // Its key may be as new as the session.
      return reload;
    }
    return project !== undefined && projects.idOf(project) === undefined ? reload : undefined;
  }

  return (credentials) => {
    const find = search(credentials);
    if (!find || bucket.take(now()) > 0) return undefined;
    // It is taken for unknown then: who is known goes on without the database.
    return find().catch(onFailed);
  };
}

const QUIET_MS = 60_000;

/**
 * Counts attempts, and reports the first at once and those that follow at most once a minute: a
 * flood of them must not become a flood of log lines.
 *
 * @param now Milliseconds.
 */
function attemptCounter(report: (attempts: number) => void, now: () => number): () => void {
  let unreported = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return () => {
    unreported += 1;
    const time = now();
    if (time - reportedAt < QUIET_MS) return;
    report(unreported);
    unreported = 0;
    reportedAt = time;
  };
}
