import { randomBytes } from "node:crypto";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** The tables as they are at this point; migrations must not follow the types of today's tables. */
interface Tables {
  readonly applications: { readonly id: string; readonly schema: string | null };
  readonly environments: {
    readonly id: string;
    readonly application_id: string;
    readonly number: number;
    readonly slug: string;
    readonly is_default: number;
  };
  readonly variants: {
    readonly id: string;
    readonly application_id: string;
    readonly slug: string;
    readonly created_at: string;
    readonly latest_revision: number;
  };
  readonly revisions: {
    readonly variant_id: string;
    readonly revision: number;
    readonly params: string;
    readonly message: string;
    readonly created_by: string;
    readonly created_at: string;
  };
  readonly deployments: {
    readonly id: string;
    readonly application_id: string;
    readonly environment_id: string;
    readonly number: number;
    readonly variant_id: string;
    readonly variant_slug: string;
    readonly revision: number;
    readonly kind: string;
    readonly message: string;
    readonly deployed_by: string;
    readonly deployed_at: string;
    readonly ended_at: string | null;
    readonly build_id: string | null;
    readonly build_since: string | null;
  };
  readonly builds: {
    readonly id: string;
    readonly application_id: string;
    readonly number: number;
    readonly status: string;
    readonly created_by: string;
    readonly created_at: string;
    readonly routes: string | null;
    readonly size: number;
    readonly sdk_version: string;
    readonly message: string;
    readonly live_since: string | null;
    readonly schema: string | null;
    readonly kind: string;
  };
}

const AUTHOR = "agate";

/**
 * Environments have code of their own: a deployment pins a build beside its revision.
 *
 * @param text The type of text that is compared character by character.
 */
export function environments(text: "text" | RawBuilder<unknown>): Migration {
  const up = async (db: Kysely<unknown>) => {
    await addColumns(db, text);
    await addTables(db, text);
    const tables = db as Kysely<Tables>;
    const applications = await tables.selectFrom("applications").select(["id", "schema"]).execute();
    for (const application of applications) await adopt(tables, application);
  };
  return { up };
}

/** The same where other servers have to hear of every change. */
export function announcedEnvironments(text: RawBuilder<unknown>): Migration {
  const up = async (db: Kysely<unknown>) => {
    await environments(text).up(db);
    await sql`
      CREATE TRIGGER registry_settings_told AFTER UPDATE ON agate.environments FOR EACH ROW
      WHEN (OLD.is_default IS DISTINCT FROM NEW.is_default
        OR OLD.playground IS DISTINCT FROM NEW.playground)
      EXECUTE FUNCTION agate.registry_tell('config')`.execute(db);
    // A server of an earlier release knows one build for the whole application: what it deploys during an
    // upgrade runs that one.
    await sql`
      CREATE FUNCTION agate.deployment_build() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        SELECT id, NEW.deployed_at INTO NEW.build_id, NEW.build_since FROM agate.builds
        WHERE application_id = NEW.application_id AND status = 'live';
        RETURN NEW;
      END
      $$`.execute(db);
    await sql`
      CREATE TRIGGER deployment_build_known BEFORE INSERT ON agate.deployments FOR EACH ROW
      WHEN (NEW.build_id IS NULL) EXECUTE FUNCTION agate.deployment_build()`.execute(db);
  };
  return { up };
}

async function addColumns(db: Kysely<unknown>, text: "text" | RawBuilder<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable("deployments").addColumn("build_id", text).execute();
  await schema
    .alterTable("deployments")
    .addColumn("arm", text, (column) => column.notNull().defaultTo("main"))
    .execute();
  await schema.alterTable("deployments").addColumn("build_since", "text").execute();
  await schema.dropIndex("deployments_live").execute();
  await schema
    .createIndex("deployments_live")
    .unique()
    .on("deployments")
    .columns(["environment_id", "arm"])
    .where(sql.ref("ended_at"), "is", null)
    .execute();
  await schema
    .createIndex("deployments_by_build")
    .on("deployments")
    .columns(["build_id", "environment_id", "number"])
    .execute();
  await schema.alterTable("builds").addColumn("schema", "text").execute();
  await schema.alterTable("builds").addColumn("archive_hash", text).execute();
  await schema.alterTable("builds").addColumn("git_commit", "text").execute();
  await schema
    .alterTable("builds")
    .addColumn("kind", text, (column) => column.notNull().defaultTo("hosted"))
    .execute();
  await schema
    .alterTable("environments")
    .addColumn("is_default", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .alterTable("environments")
    .addColumn("playground", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
  await schema.alterTable("environments").addColumn("deleted_slug", text).execute();
}

async function addTables(db: Kysely<unknown>, text: "text" | RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable("server_reports")
    .addColumn("server_id", text, (column) => column.notNull())
    .addColumn("environment_id", text, (column) =>
      column.notNull().references("environments.id").onDelete("cascade"),
    )
    .addColumn("build_id", text, (column) => column.notNull())
    .addColumn("processes", "integer", (column) => column.notNull())
    .addColumn("restarts", "integer", (column) => column.notNull())
    .addColumn("last_exit", "text")
    .addColumn("reported_at", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("server_reports_by_server", ["server_id", "environment_id"])
    .execute();
  await db.schema
    .createTable("route_calls")
    .addColumn("environment_id", text, (column) =>
      column.notNull().references("environments.id").onDelete("cascade"),
    )
    .addColumn("route", text, (column) => column.notNull())
    .addColumn("last_called_at", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("route_calls_by_route", ["environment_id", "route"])
    .execute();
}

/** Everything that is live in an application keeps running with the code that it has now. */
async function adopt(
  db: Kysely<Tables>,
  application: { readonly id: string; readonly schema: string | null },
): Promise<void> {
  const defaultId = await markDefault(db, application.id);
  const build = (await liveBuild(db, application)) ?? (await externalBuild(db, application));
  if (build === undefined) return;
  await db
    .updateTable("builds")
    .set({ schema: application.schema })
    .where("id", "=", build.id)
    .execute();
  const live = await db
    .updateTable("deployments")
    .set((eb) => ({
      build_id: build.id,
      build_since: build.live_since ?? eb.ref("deployed_at"),
    }))
    .where("application_id", "=", application.id)
    .where("ended_at", "is", null)
    .returning("id")
    .execute();
  // A build that serves without any configuration: calls of it went by the code's defaults.
  if (live.length > 0 || build.kind !== "hosted" || defaultId === undefined) return;
  await deployDefaults(db, application.id, defaultId, build);
}

/** Production is what calls that name no environment go to; where there is none, the last that was made. */
async function markDefault(db: Kysely<Tables>, applicationId: string): Promise<string | undefined> {
  const rows = await db
    .selectFrom("environments")
    .select(["id", "slug"])
    .where("application_id", "=", applicationId)
    .orderBy("number", "desc")
    .execute();
  const chosen = rows.find(({ slug }) => slug === "production") ?? rows[0];
  if (chosen === undefined) return undefined;
  await db.updateTable("environments").set({ is_default: 1 }).where("id", "=", chosen.id).execute();
  return chosen.id;
}

interface AdoptedBuild {
  readonly id: string;
  readonly kind: string;
  readonly live_since: string | null;
}

function liveBuild(
  db: Kysely<Tables>,
  { id }: { readonly id: string },
): Promise<AdoptedBuild | undefined> {
  return db
    .selectFrom("builds")
    .select(["id", "kind", "live_since"])
    .where("application_id", "=", id)
    .where("status", "=", "live")
    .executeTakeFirst();
}

/** The record of a workflow that runs elsewhere, of which only a schema was known. */
async function externalBuild(
  db: Kysely<Tables>,
  { id: applicationId, schema }: { readonly id: string; readonly schema: string | null },
): Promise<AdoptedBuild | undefined> {
  if (schema === null) return undefined;
  const { latest } = await db
    .selectFrom("builds")
    .select(({ fn }) => fn.max("number").as("latest"))
    .where("application_id", "=", applicationId)
    .executeTakeFirstOrThrow();
  const id = newId("bld");
  const routes = (JSON.parse(schema) as readonly { readonly route: string }[]).map(
    ({ route }) => route,
  );
  await db
    .insertInto("builds")
    .values({
      id,
      application_id: applicationId,
      number: (latest ?? 0) + 1,
      status: "retired",
      created_by: AUTHOR,
      created_at: new Date().toISOString(),
      routes: JSON.stringify(routes),
      size: 0,
      sdk_version: "",
      message: "Runs elsewhere",
      live_since: null,
      schema,
      kind: "external",
    })
    .execute();
  return { id, kind: "external", live_since: null };
}

/** Makes a configuration that changes nothing live together with the build. */
async function deployDefaults(
  db: Kysely<Tables>,
  applicationId: string,
  environmentId: string,
  build: AdoptedBuild,
): Promise<void> {
  const at = new Date().toISOString();
  const variant = await defaultVariant(db, applicationId, at);
  const { latest } = await db
    .selectFrom("deployments")
    .select(({ fn }) => fn.max("number").as("latest"))
    .where("application_id", "=", applicationId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("deployments")
    .values({
      id: newId("dep"),
      application_id: applicationId,
      environment_id: environmentId,
      number: (latest ?? 0) + 1,
      variant_id: variant.id,
      variant_slug: "default",
      revision: variant.latest_revision,
      kind: "deploy",
      message: "The build that was live before environments had builds of their own.",
      deployed_by: AUTHOR,
      deployed_at: at,
      ended_at: null,
      build_id: build.id,
      build_since: build.live_since ?? at,
    })
    .execute();
}

async function defaultVariant(
  db: Kysely<Tables>,
  applicationId: string,
  at: string,
): Promise<{ readonly id: string; readonly latest_revision: number }> {
  const known = await db
    .selectFrom("variants")
    .select(["id", "latest_revision"])
    .where("application_id", "=", applicationId)
    .where("slug", "=", "default")
    .executeTakeFirst();
  if (known !== undefined && known.latest_revision > 0) return known;
  const id = known?.id ?? newId("var");
  if (known === undefined) {
    await db
      .insertInto("variants")
      .values({
        id,
        application_id: applicationId,
        slug: "default",
        created_at: at,
        latest_revision: 1,
      })
      .execute();
  } else {
    await db.updateTable("variants").set({ latest_revision: 1 }).where("id", "=", id).execute();
  }
  await db
    .insertInto("revisions")
    .values({
      variant_id: id,
      revision: 1,
      params: "{}",
      message: "All defaults",
      created_by: AUTHOR,
      created_at: at,
    })
    .execute();
  return { id, latest_revision: 1 };
}

function newId(prefix: string): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  const letters = Array.from(randomBytes(20), (byte) => alphabet[byte % alphabet.length]);
  return `${prefix}_${letters.join("")}`;
}
