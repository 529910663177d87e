from questions import AGATE_URL, ask, ask_overloaded, ask_with_tool, openai_client
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import workflow


Traceloop.init(app_name="stones", api_endpoint=AGATE_URL, disable_batch=True, telemetry_enabled=False)
client = openai_client()


@workflow(name="answer")
def answer(question: str):
    Traceloop.set_association_properties({"user_id": "u-1", "session_id": "s-1"})
    return ask(client)


answer("What is agate?")
ask_with_tool(client)
ask_overloaded(client)
