from questions import MODEL, MODEL_URL, otlp_provider

from openinference.instrumentation import using_attributes
from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIServerModel, ToolCallingAgent

provider = otlp_provider()
SmolagentsInstrumentor().instrument(tracer_provider=provider)


def agent_of(model):
    model = OpenAIServerModel(model, api_base=MODEL_URL, api_key="none", client_kwargs={"max_retries": 0})
    if hasattr(model, "retryer"):
        model.retryer.max_attempts = 1
    return ToolCallingAgent(tools=[], model=model, instructions="Be brief.", max_steps=2)


with using_attributes(user_id="u-1", session_id="s-1"):
    agent_of(MODEL).run("What is agate?")
try:
    agent_of("overloaded").run("What is agate?")
except Exception as error:
    print(f"refused, as it should be: {type(error).__name__}")
provider.shutdown()
