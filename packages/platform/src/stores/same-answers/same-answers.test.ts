import { compareHistories } from "./compare-histories.fixture.ts";

// Thirty of them: same-answers.long.test.ts.
compareHistories(1);
