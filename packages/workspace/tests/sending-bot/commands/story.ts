import { command, rest } from '@botwright/framework'
import { tell } from '../lib/storyteller.ts'

/** `/story a fox`: writes a story, which its reader can stop. */
export default command({
  description: 'Tells a story',
  args: { about: rest({ max: 200 }) },
  run: async (ctx) => {
    const { end } = await ctx.stream(tell(ctx.args.about), { stop: 'Enough' })
    if (end === 'stopped') await ctx.reply('Good night!')
  },
})
