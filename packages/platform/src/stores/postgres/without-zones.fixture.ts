/** Takes the zones out of a database, as before schema version 18; the version is left to the caller. */
export const WITHOUT_ZONES = [
  "DROP TRIGGER segments_unzoned ON agate.unindexed",
  "DROP TRIGGER summary_unzoned ON agate.traces",
  "DROP FUNCTION agate.leave_segments_unzoned, agate.leave_trace_unzoned",
  "DROP TABLE agate.zones, agate.zone_bounds, agate.unzoned, agate.zone_progress",
  "ALTER TABLE agate.unindexed DROP COLUMN spans",
];
