import { command, cooldown, rest } from '@botwright/framework'
import notes from '../../state/notes.ts'

export default command({
  description: 'Stores a note of the person',
  args: { note: rest({ max: 200 }) },
  guards: [cooldown('10s')],
  run: async (ctx) => {
    const all = await notes.of(ctx).update((list) => [...list, ctx.args.note].slice(-20))
    return `Noted (${all.length} in all).`
  },
})
