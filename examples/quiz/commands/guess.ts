import { command, integer } from '@botwright/framework'
import points from '../state/points.ts'

export default command({
  description: 'Starts a game: guess my number',
  run: async (ctx) => {
    const number = Math.ceil(Math.random() * 100)
    const guess = integer({ min: 1, max: 100 })
    let question = 'I am thinking of a number from 1 to 100. Which one is it?'
    for (let tries = 1; ; tries++) {
      const guessed = await ctx.ask(question, { as: guess, timeout: '1m' })
      if (guessed === number) {
        await points.of(ctx).update((before) => before + 1)
        return `Yes, it is ${number}! You needed ${tries} ${tries === 1 ? 'try' : 'tries'}.`
      }
      question = guessed < number ? 'Higher!' : 'Lower!'
    }
  },
})
