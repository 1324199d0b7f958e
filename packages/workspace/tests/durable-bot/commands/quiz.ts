import { command, oneOf } from '@botwright/framework'

const questions = [
  ['The capital of France?', 'Paris', 'Lyon'],
  ['The capital of Italy?', 'Rome', 'Milan'],
] as const

export default command({
  description: 'Plays a quiz',
  durable: true,
  run: async (ctx) => {
    const level = await ctx.ask('Easy or hard?', { as: oneOf('easy', 'hard'), timeout: '1h' })
    let score = 0
    for (const [question, right, wrong] of questions) {
      const chosen = await ctx.choose(question, ctx.random() < 0.5 ? [right, wrong] : [wrong, right], { timeout: '1h' })
      if (chosen === right) score = Number(await ctx.state.user.update('score', (n) => Number(n ?? 0) + 1))
    }
    await ctx.react('🏁')
    return `${level}: ${score} of ${questions.length}`
  },
})
