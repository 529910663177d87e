from questions import MODEL, MODEL_URL, otlp_provider

import dspy
from openinference.instrumentation import using_attributes
from openinference.instrumentation.dspy import DSPyInstrumentor

provider = otlp_provider()
DSPyInstrumentor().instrument(tracer_provider=provider)


def model(name):
    return dspy.LM(f"openai/{name}", api_base=MODEL_URL, api_key="none", cache=False, num_retries=0)


predict = dspy.Predict("question -> answer")
with using_attributes(user_id="u-1", session_id="s-1"), dspy.context(lm=model(MODEL)):
    predict(question="What is agate?")
try:
    with dspy.context(lm=model("overloaded")):
        predict(question="What is agate?")
except Exception as error:
    print(f"refused, as it should be: {type(error).__name__}")
provider.shutdown()
