import { CommandLine } from "../design/copy-button.tsx";
import { codeText, type RunOffer } from "./use-run-offer.ts";

interface NoEvaluationsProps {
  readonly app: string;
  readonly offer: Pick<RunOffer, "build" | "problem">;
}

/** Why an application has no evaluation to run, and how to get one. */
export function NoEvaluations({ app, offer: { build, problem } }: NoEvaluationsProps) {
  return (
    <div className="flex flex-col items-start gap-2">
      {problem === null ? (
        <p>
          No build of {app} has an evaluation. Write one in a file that ends with{" "}
          <code className="font-mono text-[0.93rem]">.eval.ts</code> beside your code and deploy it:
        </p>
      ) : (
        <>
          <p role="alert">The eval files of {codeText(build)} could not be loaded:</p>
          <pre className="max-h-40 w-full overflow-auto rounded-md bg-danger-soft px-3 py-2 font-mono text-[0.93rem] whitespace-pre-wrap wrap-anywhere">
            {problem}
          </pre>
          <p>Fix the file and deploy again:</p>
        </>
      )}
      <CommandLine command={`agate deploy app.ts --app ${app}`} />
      <p>Or run it on your machine and report it here:</p>
      <CommandLine command={`agate --url ${window.location.origin} eval`} />
    </div>
  );
}
