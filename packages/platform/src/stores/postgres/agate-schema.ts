/** The schema of all our tables, in the database that a URL names. */
export const AGATE_SCHEMA = "agate";

/**
 * The advisory lock for creating the schema: "AGATE". The span store and the registry may be opened at the
 * same time.
 */
const SCHEMA_LOCK = 0x41_47_41_54_45n;

/**
 * Creates the schema if it does not exist, in a transaction. It is looked up first, because creating it
 * takes a privilege on the database that the user may not have.
 */
export const ENSURE_AGATE_SCHEMA = `
  DO $$
  BEGIN
    IF to_regnamespace('${AGATE_SCHEMA}') IS NULL THEN
      PERFORM pg_advisory_xact_lock(${SCHEMA_LOCK});
      CREATE SCHEMA IF NOT EXISTS ${AGATE_SCHEMA};
    END IF;
  END
  $$`;
