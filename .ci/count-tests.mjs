// node .ci/count-tests.mjs STATUS REPORT…: the last line of .ci/run, from vitest's JSON reports.
import { readFileSync } from "node:fs";

const [status = "1", ...reports] = process.argv.slice(2);

let passed = 0;
let failed = 0;
for (const report of reports) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
    passed += numPassedTests;
    failed += numFailedTests;
  } catch (error) {
    // vitest ended before it wrote its report.
    process.stderr.write(`${error}\n`);
    failed++;
  }
}
if (status !== "0") failed = Math.max(failed, 1);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
