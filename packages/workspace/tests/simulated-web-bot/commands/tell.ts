import { command, rest } from '@botwright/framework'
import { parts, storyOf } from '../lib/story.ts'

export default command({
  description: 'Tells a story while it is written',
  args: { text: rest() },
  run: async (ctx) => {
    const number = Number(ctx.args.text)
    const story = storyOf(number)
    ctx.log.info({ number, story }, 'story begins')
    const stop = number % 2 === 0 ? { stop: 'Stop' } : {}
    const { end, messages, text } = await ctx.stream(parts(story, number), { ...stop, timeout: '1m' })
    ctx.log.info({ number, end, text, ids: messages.map(({ id }) => id) }, 'story ends')
  },
})
