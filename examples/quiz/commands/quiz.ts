import { command, integer } from '@botwright/framework'
import { pick } from '../lib/questions.ts'
import points from '../state/points.ts'

export default command({
  description: 'Asks you quiz questions: /quiz, /quiz 5',
  args: { questions: integer({ min: 1, max: 5 }).default(3) },
  run: async (ctx) => {
    const questions = pick(ctx.args.questions)
    let right = 0
    for (const { text, choices, answer } of questions) {
      const chosen = await ctx.choose(text, choices, { timeout: '30s' })
      if (chosen === answer) right++
    }
    const total = await points.of(ctx).update((before) => before + right)
    return `${right} of ${questions.length} right! You now have ${total} ${total === 1 ? 'point' : 'points'}.`
  },
})
