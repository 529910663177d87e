/**
 * What every connection of ours relies on, whatever was set for the server, the database or the user:
 *
 * - Each statement sees what was committed before it. What looks behind a lock would else see what was
 *   there before it had the lock, such as a day without traces that has some by now.
 * - Whoever waits for a lock waits as long as a statement may take.
 */
export const SESSION_SETTINGS = {
  default_transaction_isolation: "'read committed'",
  lock_timeout: "0",
} as const;

/** What is acknowledged is on disk, though others may do without; a stricter setting stays. */
export const DURABLE_COMMITS = `
  SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') = 'off'`;
