import { command, cooldown, rest } from '@botwright/framework'
import { note } from '../../lib/note.ts'

export default command({
  description: 'Adds a to-do to this channel',
  args: { text: rest({ max: 200 }) },
  examples: ['water the plants'],
  guards: [cooldown('1m', { uses: 10 })],
  run: async (ctx) => {
    await note(ctx, ctx.args.text)
    return `Added: ${ctx.args.text}`
  },
})
