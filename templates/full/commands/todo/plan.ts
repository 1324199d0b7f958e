import { command, rest } from '@botwright/framework'
import { note } from '../../lib/note.ts'

/** A conversation: waits for each answer while the bot keeps serving other people. */
export default command({
  description: 'Adds several to-dos, one question at a time',
  run: async (ctx) => {
    let count = 0
    for (;;) {
      const question = count === 0 ? 'What do you want to do first?' : 'What else? Type "done" to finish.'
      const text = await ctx.ask(question, { as: rest({ max: 200 }), timeout: '5m' })
      if (text.toLowerCase() === 'done') return `To-dos added: ${String(count)}`
      await note(ctx, text)
      count++
    }
  },
})
