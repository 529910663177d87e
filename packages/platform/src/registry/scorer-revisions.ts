import type { ScorerConfigs, ScorersRevision } from "@agate/protocol";
import { isDeeperThan, isRecord, mustBe, shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { slugProblem } from "./names.ts";
import type { ScorerRevisions } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import {
  findApplication,
  inApplication,
  pageOf,
  rowsFor,
  storableText,
} from "./registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refusalOf, refused } from "./registry-outcome.ts";
import { MAX_PARAMS_BYTES, MAX_PARAMS_DEPTH } from "./schema/check-params.ts";

export function createScorerRevisions(context: RegistryContext): ScorerRevisions {
  const { db, now } = context;
  return {
    async list(ref, page) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      const { limit, below } = rowsFor(page);
      const rows = await db
        .selectFrom("scorer_revisions")
        .select(["revision as number", "message", "created_by", "created_at"])
        .where("application_id", "=", application.value.id)
        .where("revision", "<", below)
        .orderBy("revision", "desc")
        .limit(limit)
        .execute();
      return done(pageOf(rows, page, ({ number: revision, ...row }) => ({ revision, ...row })));
    },

    async get(ref, revision) {
      const application = await findApplication(db, ref);
      if (application.kind === "refused") return application;
      return findScorersRevision(db, application.value.id, revision, ["path", "revision"]);
    },

    commit: (ref, { configs, baseRevision, by, message }) =>
      inApplication(context, ref, async (tx, { id, slug }) => {
        const latest = await latestRevision(tx, id);
        if (baseRevision !== latest) return refused(staleProblem(slug, baseRevision, latest));
        const refusal = refusalOf(configsProblems(configs));
        if (refusal !== undefined) return refusal;
        const row = {
          revision: latest + 1,
          message: storableText(message),
          created_by: storableText(by),
          created_at: now(),
        };
        await tx
          .insertInto("scorer_revisions")
          .values({ ...row, application_id: id, configs: JSON.stringify(configs) })
          .execute();
        return done({ ...row, configs: configs as ScorerConfigs });
      }),
  };
}

/** A revision of an application's scorer configurations; null is the latest. */
export async function findScorersRevision(
  db: RegistryDatabase,
  applicationId: string,
  wanted: number | null,
  loc: RegistryProblem["loc"],
): Promise<RegistryOutcome<ScorersRevision>> {
  const latest = await latestRevision(db, applicationId);
  const revision = wanted ?? latest;
  const row =
    revision < 1 || revision > latest
      ? undefined
      : await db
          .selectFrom("scorer_revisions")
          .select(["revision", "configs", "message", "created_by", "created_at"])
          .where("application_id", "=", applicationId)
          .where("revision", "=", revision)
          .executeTakeFirst();
  if (row !== undefined) return done({ ...row, configs: JSON.parse(row.configs) as ScorerConfigs });
  const msg =
    latest === 0
      ? "No configurations of scorers are committed."
      : `The scorers have no revision ${revision}, but ${latest} at most.`;
  return refused({ type: "revision_not_found", loc, msg });
}

async function latestRevision(db: RegistryDatabase, applicationId: string): Promise<number> {
  const { latest } = await db
    .selectFrom("scorer_revisions")
    .select(({ fn }) => fn.max("revision").as("latest"))
    .where("application_id", "=", applicationId)
    .executeTakeFirstOrThrow();
  return latest ?? 0;
}

function configsProblems(configs: unknown): RegistryProblem[] {
  const problem = (path: readonly string[], msg: string): RegistryProblem => ({
    type: "params_invalid",
    loc: ["body", "configs", ...path],
    msg,
  });
  if (!isRecord(configs)) {
    const allowed = 'an object of scorers, such as {"helpful": {}}';
    return [problem([], mustBe(allowed, shownValue(configs)))];
  }
  if (isDeeperThan(configs, MAX_PARAMS_DEPTH)) {
    return [problem([], `Must have ${MAX_PARAMS_DEPTH} levels of lists and objects or fewer.`)];
  }
  const size = Buffer.byteLength(JSON.stringify(configs));
  if (size > MAX_PARAMS_BYTES) {
    const most = MAX_PARAMS_BYTES.toLocaleString("en");
    return [
      problem([], `Must be ${most} bytes of JSON or less (got ${size.toLocaleString("en")}).`),
    ];
  }
  return Object.entries(configs).flatMap(([name, values]) => {
    const wrongName = slugProblem(name, ["body", "configs", name]);
    if (wrongName !== undefined) return [problem([name], wrongName.msg)];
    return isRecord(values)
      ? []
      : [problem([name], mustBe("an object of fields", shownValue(values)))];
  });
}

function staleProblem(application: string, base: number, latest: number): RegistryProblem {
  const why =
    base < latest
      ? `The scorers of ${application} are at revision ${latest} by now: a newer revision exists. Look at what changed, and`
      : `The scorers of ${application} have no revision ${base}, but ${latest === 0 ? "none" : `${latest} at most`}:`;
  return {
    type: "revision_stale",
    loc: ["body", "base_revision"],
    msg: `${why} commit again with base_revision ${latest}.`,
  };
}
