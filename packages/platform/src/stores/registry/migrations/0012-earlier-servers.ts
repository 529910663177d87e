import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * For the time of an upgrade, in which servers of the release before environments had builds of their own
 * run beside this one. They write one live build for the whole application, and no deployment for code
 * alone; and they mark no default environment. Both is completed when their transaction commits: what a
 * server of this release writes is complete by then.
 */
export const earlierServers: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      CREATE FUNCTION agate.earlier_servers_build() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        known text;
        replaced text;
        wanted text;
        wanted_schema text;
        deployed agate.deployments%ROWTYPE;
        place text;
        at text := to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
        words text := 'By a server of the release before, in all environments that had the same code.';
      BEGIN
        SELECT build.id, build.schema INTO wanted, wanted_schema FROM agate.builds build
        WHERE build.application_id = NEW.application_id AND build.status = 'live';
        IF wanted IS NOT NULL AND wanted_schema IS NULL THEN
          UPDATE agate.builds SET schema = application.schema FROM agate.applications application
          WHERE builds.id = wanted AND application.id = NEW.application_id;
        END IF;
        -- What servers of this release show to those of the one before.
        SELECT deployment.build_id INTO known FROM agate.deployments deployment
        JOIN agate.environments environment ON environment.id = deployment.environment_id
        WHERE deployment.application_id = NEW.application_id AND deployment.ended_at IS NULL
          AND deployment.build_id IS NOT NULL
        ORDER BY environment.is_default DESC, deployment.number DESC LIMIT 1;
        IF wanted IS NOT DISTINCT FROM known THEN RETURN NULL; END IF;
        -- A workflow that runs elsewhere is shown as no build.
        IF wanted IS NULL AND known <> NEW.id THEN RETURN NULL; END IF;
        -- Deployed to an environment that was named.
        IF EXISTS (
          SELECT FROM agate.deployments deployment
          WHERE deployment.build_id = wanted AND deployment.ended_at IS NULL
            AND deployment.xmin = pg_current_xact_id()::xid
        ) THEN RETURN NULL; END IF;
        SELECT deployment.build_id INTO replaced FROM agate.deployments deployment
        JOIN agate.environments environment ON environment.id = deployment.environment_id
        WHERE deployment.application_id = NEW.application_id AND deployment.ended_at IS NULL
        ORDER BY environment.is_default DESC, deployment.number DESC LIMIT 1;
        FOR deployed IN
          SELECT * FROM agate.deployments deployment
          WHERE deployment.application_id = NEW.application_id AND deployment.ended_at IS NULL
            AND (deployment.build_id IS NULL OR deployment.build_id = replaced)
        LOOP
          UPDATE agate.deployments SET ended_at = at WHERE id = deployed.id;
          PERFORM agate.earlier_servers_deploy(deployed.application_id, deployed.environment_id,
            deployed.variant_id, deployed.variant_slug, deployed.revision, wanted, words, at);
          place := deployed.environment_id;
        END LOOP;
        IF place IS NULL AND wanted IS NOT NULL THEN
          PERFORM agate.earlier_servers_first(NEW.application_id, wanted, words, at);
        END IF;
        RETURN NULL;
      END
      $$`.execute(db);
    await createDeploy(db);
    await createFirst(db);
    await sql`
      CREATE CONSTRAINT TRIGGER earlier_servers_build AFTER UPDATE ON agate.builds
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
      WHEN (OLD.status IS DISTINCT FROM NEW.status AND 'live' IN (OLD.status, NEW.status))
      EXECUTE FUNCTION agate.earlier_servers_build()`.execute(db);
    await createDefaultMark(db);
  },
};

async function createDeploy(db: Kysely<unknown>): Promise<void> {
  // The letters of ids are a to z and 2 to 7.
  await sql`
    CREATE FUNCTION agate.new_id(prefix text) RETURNS text LANGUAGE sql AS $$
      SELECT prefix || '_'
        || translate(left(replace(gen_random_uuid()::text, '-', ''), 20), '0189', 'ghij')
    $$`.execute(db);
  await sql`
    CREATE FUNCTION agate.earlier_servers_deploy(application text, environment text, variant text,
      slug text, pinned integer, build text, words text, at text) RETURNS void LANGUAGE sql AS $$
      INSERT INTO agate.deployments (id, application_id, environment_id, number, variant_id,
        variant_slug, revision, kind, message, deployed_by, deployed_at, build_id, build_since)
      VALUES (agate.new_id('dep'), application, environment,
        (SELECT coalesce(max(number), 0) + 1 FROM agate.deployments
          WHERE application_id = application),
        variant, slug, pinned, 'deploy', words, 'agate', at, build, at)
    $$`.execute(db);
}

/** The first code of an application, in its default environment, with a configuration that changes nothing. */
async function createFirst(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE FUNCTION agate.earlier_servers_first(application text, build text, words text, at text)
    RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      place text;
      variant text;
      latest integer;
    BEGIN
      SELECT id INTO place FROM agate.environments
      WHERE application_id = application AND is_default = 1;
      IF place IS NULL THEN RETURN; END IF;
      SELECT id, latest_revision INTO variant, latest FROM agate.variants
      WHERE application_id = application AND slug = 'default';
      IF variant IS NULL THEN
        variant := agate.new_id('var');
        latest := 0;
        INSERT INTO agate.variants (id, application_id, slug, created_at, latest_revision)
        VALUES (variant, application, 'default', at, 0);
      END IF;
      IF latest = 0 THEN
        INSERT INTO agate.revisions (variant_id, revision, params, message, created_by, created_at)
        VALUES (variant, 1, '{}', 'All defaults', 'agate', at);
        UPDATE agate.variants SET latest_revision = 1 WHERE id = variant;
        latest := 1;
      END IF;
      PERFORM agate.earlier_servers_deploy(
        application, place, variant, 'default', latest, build, words, at);
    END
    $$`.execute(db);
}

/** Production is what calls that name no environment go to. */
async function createDefaultMark(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE FUNCTION agate.earlier_servers_default() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE agate.environments SET is_default = 1 WHERE id = NEW.id AND NOT EXISTS (
        SELECT FROM agate.environments other
        WHERE other.application_id = NEW.application_id AND other.is_default = 1);
      RETURN NULL;
    END
    $$`.execute(db);
  await sql`
    CREATE CONSTRAINT TRIGGER earlier_servers_default AFTER INSERT ON agate.environments
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.slug = 'production' AND NEW.is_default = 0)
    EXECUTE FUNCTION agate.earlier_servers_default()`.execute(db);
}
