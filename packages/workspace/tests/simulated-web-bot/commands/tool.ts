import { command, commandTools, messagesForModel, rest } from '@botwright/framework'

/** Calls a command as a language model does. */
export default command({
  description: 'Lets a model add something',
  args: { text: rest() },
  run: async (ctx) => {
    const [add] = commandTools(ctx, { only: ['add'] })
    const { text } = ctx.args
    const { ok } = await add!.call(JSON.stringify({ text: `tool ${text}` }))
    const known = await messagesForModel(ctx, { last: 5 })
    ctx.log.info({ tool: text, messages: known.length }, 'read')
    return `tool ${text}: ${ok ? 'done' : 'refused'}`
  },
})
