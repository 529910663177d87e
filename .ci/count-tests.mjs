// node .ci/count-tests.mjs REPORT STATUS: the last line of .ci/run, from vitest's JSON report.
import { readFileSync } from "node:fs";

const [report = "", status = "1"] = process.argv.slice(2);

/** @returns {{ passed: number, failed: number }} */
function count() {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch (error) {
    // vitest did not come to writing a report.
    process.stderr.write(`${error}\n`);
    return { passed: 0, failed: 0 };
  }
}

const { passed, failed } = count();
const counted = status === "0" ? failed : Math.max(failed, 1);
process.stdout.write(`${passed} passed, ${counted} failed\n`);
process.exitCode = counted === 0 && passed > 0 ? 0 : 1;
