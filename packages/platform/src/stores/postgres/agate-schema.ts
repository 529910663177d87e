/** The schema of all our tables, in the database that a URL names. */
export const AGATE_SCHEMA = "agate";

/** For whoever makes the schema: "AGATE". Spans and the registry may be opened at the same time. */
const SCHEMA_LOCK = 0x41_47_41_54_45n;

/**
 * Makes the schema where there is none, in a transaction. It is looked for first, as making it takes a
 * right on the database that the user need not have.
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
