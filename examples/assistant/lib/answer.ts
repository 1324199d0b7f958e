import { commandTools, type Context, messagesForModel } from '@botwright/framework'
import { callModel } from './model.ts'
import type { ModelMessage } from './model-types.ts'

/** After this many rounds of calls, the model has to answer. */
const MAX_ROUNDS = 4

/** The answer to the latest message of the channel, as the model writes it. The commands that the model calls run as the person who asks. */
export async function* answer(ctx: Context): AsyncGenerator<string> {
  const tools = commandTools(ctx)
  const messages: ModelMessage[] = await messagesForModel(ctx, { last: 20, characters: 8000 })
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const calls = []
    for await (const part of callModel({ messages, tools }, ctx.signal)) {
      if (part.type === 'text') yield part.text
      else calls.push(part)
    }
    if (calls.length === 0) return
    for (const { name, arguments: input } of calls) {
      const tool = tools.find((one) => one.name === name)
      const result = tool ? await tool.call(input) : { ok: false, text: `there is no tool ${name}` }
      ctx.log.info({ tool: name, ...result }, 'the model called a command')
      messages.push({ role: 'tool', name, content: JSON.stringify(result) })
    }
  }
  yield '\nI stop here: that took too many steps.'
}
