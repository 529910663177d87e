// node .ci/count-tests.mjs STATUS REPORT…: the end of .ci/run, from vitest's JSON reports. It lists each
// failed test (file, name, message), so that the tail of a cut log still names it; then come the counts.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

/** Enough for the assertion and the line it stands in, short enough for dozens of failures in one tail. */
const MESSAGE_LINES = 12;

const [status = "1", ...reports] = process.argv.slice(2);

let passed = 0;
let failed = 0;
for (const report of reports) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(
      readFileSync(report, "utf8"),
    );
    passed += numPassedTests;
    failed += numFailedTests;
    for (const file of testResults) printFailures(file);
  } catch (error) {
    // vitest ended before it wrote its report.
    process.stderr.write(`${error}\n`);
    failed++;
  }
}
if (status !== "0") failed = Math.max(failed, 1);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** A file without failed tests can fail as well: it could not be loaded, or a hook outside its tests threw. */
function printFailures({ name, status, message, assertionResults }) {
  const failures = assertionResults.filter((test) => test.status === "failed");
  for (const test of failures) printFailure(name, test.fullName, test.failureMessages.join("\n"));
  if (status === "failed" && failures.length === 0)
    printFailure(name, "(outside of its tests)", message);
}

function printFailure(file, test, message) {
  const lines = message.split("\n").slice(0, MESSAGE_LINES);
  const text = lines.map((line) => `    ${line}\n`).join("");
  process.stdout.write(`FAILED ${relative(process.cwd(), file)} > ${test}\n${text}`);
}
