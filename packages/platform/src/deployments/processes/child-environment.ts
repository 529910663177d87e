/**
 * What a deployed build inherits of the platform's environment: nothing but what it needs to run and to
 * reach the network from this machine.
 */
const INHERITED =
  /^(?:PATH|TZ|LANG|LANGUAGE|LC_[A-Z]+|HTTP_PROXY|HTTPS_PROXY|NO_PROXY|http_proxy|https_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/;
/** Without these, programs on Windows cannot open a socket or find each other. */
const INHERITED_ON_WINDOWS = /^(?:PATH|PATHEXT|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC)$/i;

/** @param passed Names beside these that the operator lets builds have: `--pass-env`. */
export function cleanEnvironment(
  platform: NodeJS.ProcessEnv,
  passed: readonly string[],
): NodeJS.ProcessEnv {
  const isInherited = (name: string) =>
    INHERITED.test(name) ||
    passed.includes(name) ||
    (process.platform === "win32" && INHERITED_ON_WINDOWS.test(name));
  return Object.fromEntries(Object.entries(platform).filter(([name]) => isInherited(name)));
}

/**
 * Variables of the platform that are not for programs of `agate dev` and builds from before permissions:
 * everything of Agate's, and what would change how their Node runs or tell them how the platform was
 * started (npm's may hold tokens of a registry, and those of PostgreSQL's and ClickHouse's clients the
 * passwords of the platform's databases).
 */
const NOT_FOR_BUILDS =
  /^(?:AGATE_.*|NODE_OPTIONS|NODE_PATH|NODE_CHANNEL_.*|NODE_UNIQUE_ID|NODE_V8_COVERAGE|NODE_COMPILE_CACHE|NODE_REPL_.*|NODE_DEBUG.*|NODE_TEST_.*|npm_.*|INIT_CWD|PG.*|CLICKHOUSE_.*)$/i;

/** The platform's environment without its own affairs. */
export function developerEnvironment(platform: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(platform).filter(([name]) => !NOT_FOR_BUILDS.test(name));
  return Object.fromEntries(kept);
}
