import { command } from '@botwright/framework'
import { note } from '../../lib/note.ts'

/** A conversation: it waits for each answer, and other people are answered meanwhile. */
export default command({
  description: 'Asks for one thing after the other',
  run: async (ctx) => {
    let count = 0
    for (;;) {
      const question = count === 0 ? 'What is to be done?' : 'What else? Say "that is all" to end.'
      const text = await ctx.ask(question, { timeout: '5m' })
      if (text.toLowerCase() === 'that is all') return `I have noted ${String(count)}.`
      await note(ctx, text)
      count++
    }
  },
})
