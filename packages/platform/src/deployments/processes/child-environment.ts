/**
 * Variables of the platform that are not for builds: everything of Agate's, and what would change how
 * their Node runs or tell them how the platform was started (npm's may hold tokens of a registry, and
 * those of PostgreSQL's and ClickHouse's clients the passwords of the platform's databases).
 */
const NOT_FOR_BUILDS =
  /^(?:AGATE_.*|NODE_OPTIONS|NODE_PATH|NODE_CHANNEL_.*|NODE_UNIQUE_ID|NODE_V8_COVERAGE|NODE_COMPILE_CACHE|NODE_REPL_.*|NODE_DEBUG.*|NODE_TEST_.*|npm_.*|INIT_CWD|PG.*|CLICKHOUSE_.*)$/i;

/** The environment of a build's process: the platform's, without its own affairs, and what is added. */
export function childEnvironment(
  platform: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const kept = Object.entries(platform).filter(([name]) => !NOT_FOR_BUILDS.test(name));
  return { ...Object.fromEntries(kept), ...added };
}
