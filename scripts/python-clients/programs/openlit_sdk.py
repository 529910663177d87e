from questions import AGATE_URL, ask, ask_overloaded, ask_with_tool, openai_client

import openlit

openlit.init(otlp_endpoint=AGATE_URL, application_name="stones", environment="test", disable_batch=True)
client = openai_client()


@openlit.trace
def answer(question: str):
    with openlit.using_attributes({"user.id": "u-1", "session.id": "s-1"}):
        return ask(client)


answer("What is agate?")
ask_with_tool(client)
ask_overloaded(client)
