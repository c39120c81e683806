await mcp.notes.add({ text: args.text });
const notes: string[] = await mcp.notes.list();
const result = { notes: notes.length, last: notes.at(-1) };
// @ts-ignore: the result of the run
return result;
