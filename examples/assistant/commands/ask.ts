import { command, rest } from '@botwright/framework'
import { answer } from '../lib/answer.ts'

export default command({
  description: 'Asks the assistant',
  args: { question: rest({ max: 500 }) },
  run: async (ctx) => {
    await ctx.stream(answer(ctx), { stop: 'Stop', timeout: '2m' })
  },
})
