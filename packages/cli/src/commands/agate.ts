#!/usr/bin/env node
import { EXIT_CODES } from "./client/failures.ts";

/** The one in `engines` of package.json, which npm only warns about. */
const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `agate: Agate needs Node ${OLDEST_NODE} or later, and this is Node ${process.versions.node}. Install a newer one, from nodejs.org or with a version manager.\n`,
  );
  process.exitCode = EXIT_CODES.failed;
} else {
  // Not before: an older Node fails at the first module that it does not have, without saying why.
  const { main } = await import("./main.ts");
  await main();
}
