/**
 * Stands where a model would: it answers requests of the API's shape with messages of the API's shape, from a fixed script. It
 * calls only tools that the request offers, as a model does, and it reads its answer out of the results.
 */

const CODE = `const { days } = await mcp.weather.forecast({ city: args.city, days: 3 });
return { city: args.city, umbrella: days.some((day) => day.rain) };`;

const TURNS = [
  () => use("browse_components", { query: "weather in a city" }),
  () =>
    use("execute", {
      code: CODE,
      inputs: { city: "Rome" },
      intent: "Is an umbrella needed?",
      save_as: "trip:umbrella",
    }),
  () => use("mcp__trip__umbrella", { city: "Bergen" }),
  (results) => ({ type: "text", text: `${adviceOf(results[1].outputs)} ${adviceOf(results[2])}` }),
];

export function createScriptedModel() {
  let turn = 0;
  return async ({ tools, messages }) => {
    const block = TURNS[turn++](resultsIn(messages));
    if (block.type === "tool_use" && !tools.some((tool) => tool.name === block.name))
      throw new Error(`The request offers no tool ${block.name}.`);
    return {
      id: `msg_${turn}`,
      type: "message",
      role: "assistant",
      content: [block],
      stop_reason: block.type === "tool_use" ? "tool_use" : "end_turn",
    };
  };
}

let useCount = 0;

function use(name, input) {
  return { type: "tool_use", id: `toolu_${++useCount}`, name, input };
}

/** What the tools have answered so far, in their order. */
function resultsIn(messages) {
  return messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter((block) => block.type === "tool_result")
    .map((block) => JSON.parse(block.content[0].text));
}

function adviceOf({ city, umbrella }) {
  return `${city}: ${umbrella ? "take an umbrella." : "no umbrella."}`;
}
