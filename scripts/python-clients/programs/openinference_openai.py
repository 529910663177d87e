from openinference.instrumentation import using_attributes
from openinference.instrumentation.openai import OpenAIInstrumentor
from questions import ask, ask_overloaded, ask_responses, ask_with_tool, openai_client, otlp_provider

provider = otlp_provider(**{"openinference.project.name": "geology"})
OpenAIInstrumentor().instrument(tracer_provider=provider)

client = openai_client()
with using_attributes(user_id="u-1", session_id="s-1"):
    ask(client)
ask_with_tool(client)
ask_responses(client)
ask_overloaded(client)
provider.shutdown()
