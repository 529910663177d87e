import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Projects, keys, applications with their variants and revisions, environments, deployments, builds.
 *
 * @param text The type of text that is compared character by character.
 */
export function registryTables(text: "text" | RawBuilder<unknown>): Migration {
  // Migrations must not follow the types of today's tables.
  const up = async (db: Kysely<unknown>) => {
    await db.schema
      .createTable("projects")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("slug", text, (column) => column.notNull().unique())
      .addColumn("created_at", text, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("api_keys")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("project_id", text, (column) =>
        column.notNull().references("projects.id").onDelete("cascade"),
      )
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("prefix", text, (column) => column.notNull())
      .addColumn("hash", text, (column) => column.notNull().unique())
      .addColumn("scopes", text, (column) => column.notNull())
      .addColumn("created_at", text, (column) => column.notNull())
      .addColumn("last_used_at", text)
      .execute();
    await db.schema
      .createIndex("api_keys_by_project")
      .on("api_keys")
      .column("project_id")
      .execute();
    await db.schema
      .createTable("applications")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("project_id", text, (column) => column.notNull().references("projects.id"))
      .addColumn("slug", text, (column) => column.notNull())
      .addColumn("created_at", text, (column) => column.notNull())
      .addColumn("schema", text)
      .addColumn("schema_updated_at", text)
      .addUniqueConstraint("applications_by_slug", ["project_id", "slug"])
      .execute();
    await db.schema
      .createTable("variants")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("application_id", text, (column) =>
        column.notNull().references("applications.id").onDelete("cascade"),
      )
      .addColumn("slug", text, (column) => column.notNull())
      .addColumn("created_at", text, (column) => column.notNull())
      .addColumn("latest_revision", "integer", (column) => column.notNull())
      .addColumn("forked_from_id", text)
      .addColumn("forked_from_slug", text)
      .addColumn("forked_from_revision", "integer")
      .addUniqueConstraint("variants_by_slug", ["application_id", "slug"])
      .execute();
    await db.schema
      .createTable("revisions")
      .addColumn("variant_id", text, (column) =>
        column.notNull().references("variants.id").onDelete("cascade"),
      )
      .addColumn("revision", "integer", (column) => column.notNull())
      .addColumn("params", text, (column) => column.notNull())
      .addColumn("message", text, (column) => column.notNull())
      .addColumn("created_by", text, (column) => column.notNull())
      .addColumn("created_at", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("revisions_by_number", ["variant_id", "revision"])
      .execute();
    await db.schema
      .createTable("environments")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("application_id", text, (column) =>
        column.notNull().references("applications.id").onDelete("cascade"),
      )
      .addColumn("number", "integer", (column) => column.notNull())
      .addColumn("slug", text, (column) => column.notNull())
      .addColumn("created_at", text, (column) => column.notNull())
      .addUniqueConstraint("environments_by_slug", ["application_id", "slug"])
      .addUniqueConstraint("environments_by_number", ["application_id", "number"])
      .execute();
    await db.schema
      .createTable("deployments")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("application_id", text, (column) =>
        column.notNull().references("applications.id").onDelete("cascade"),
      )
      .addColumn("environment_id", text, (column) =>
        column.notNull().references("environments.id").onDelete("cascade"),
      )
      .addColumn("number", "integer", (column) => column.notNull())
      .addColumn("variant_id", text, (column) => column.notNull())
      .addColumn("variant_slug", text, (column) => column.notNull())
      .addColumn("revision", "integer", (column) => column.notNull())
      .addColumn("kind", text, (column) => column.notNull())
      .addColumn("promoted_from_id", text)
      .addColumn("promoted_from_slug", text)
      .addColumn("rolled_back_to", text)
      .addColumn("message", text, (column) => column.notNull())
      .addColumn("deployed_by", text, (column) => column.notNull())
      .addColumn("deployed_at", text, (column) => column.notNull())
      .addColumn("ended_at", text)
      .addUniqueConstraint("deployments_by_number", ["application_id", "number"])
      .execute();
    await db.schema
      .createIndex("deployments_by_environment")
      .on("deployments")
      .columns(["environment_id", "number"])
      .execute();
    await db.schema
      .createIndex("deployments_live")
      .unique()
      .on("deployments")
      .column("environment_id")
      .where(sql.ref("ended_at"), "is", null)
      .execute();
    await db.schema
      .createIndex("deployments_live_by_application")
      .on("deployments")
      .columns(["application_id", "variant_id"])
      .where(sql.ref("ended_at"), "is", null)
      .execute();
    await db.schema
      .createTable("builds")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("application_id", text, (column) =>
        column.notNull().references("applications.id").onDelete("cascade"),
      )
      .addColumn("number", "integer", (column) => column.notNull())
      .addColumn("status", text, (column) => column.notNull())
      .addColumn("created_by", text, (column) => column.notNull())
      .addColumn("created_at", text, (column) => column.notNull())
      .addColumn("routes", text)
      .addColumn("size", "integer", (column) => column.notNull())
      .addColumn("sdk_version", text, (column) => column.notNull())
      .addColumn("message", text, (column) => column.notNull())
      .addColumn("refusal", text)
      .addUniqueConstraint("builds_by_number", ["application_id", "number"])
      .execute();
    await db.schema
      .createIndex("builds_live")
      .unique()
      .on("builds")
      .column("application_id")
      .where(sql.ref("status"), "=", sql.lit("live"))
      .execute();
  };
  return { up };
}
