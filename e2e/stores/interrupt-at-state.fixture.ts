// Loaded into `agate migrate-store` before its program (node --import): interrupts the process, as Ctrl-C does,
// when it saves its state for the first time, and lets it continue when the signal has arrived. A test that
// watches the file and sends the signal itself may be too late.
import { once } from "node:events";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const { rename } = files;
files.rename = async (from, to) => {
  await rename(from, to);
  if (!String(to).endsWith("agate-migration.json")) return;
  files.rename = rename;
  syncBuiltinESMExports();
  const interrupted = once(process, "SIGINT");
  process.kill(process.pid, "SIGINT");
  await interrupted;
};
syncBuiltinESMExports();
